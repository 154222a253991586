//! Reads of the system's clock in breaker-core: all of them are in `clock.rs`, which reads it only for a registry without a
//! clock of its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::root;

/// Ways to read the system's clock. `wasm32-unknown-unknown` has none, so each of them panics there.
const READS: [&str; 4] = ["Instant::now", "SystemTime::now", ".elapsed()", "thread::sleep"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn only_the_clock_of_the_system_reads_the_system_clock() {
    let mut all = Vec::new();
    sources(&root().join("breaker-core/src"), &mut all);
    assert!(all.len() > 100, "only {} sources", all.len());
    let mut reads = Vec::new();
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        // Unit tests may wait for other threads.
        let code = text.split("mod tests {").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if READS.iter().any(|read| line.contains(read)) {
                reads.push((path.file_name().unwrap().to_str().unwrap().to_owned(), line.trim().to_owned()));
            }
        }
    }
    let in_clock: Vec<_> = reads.iter().filter(|(file, _)| file == "clock.rs").map(|(_, line)| line.as_str()).collect();
    assert_eq!(in_clock.len(), reads.len(), "the system's clock is read outside `clock.rs`: {reads:?}");
    // The first one is the method of `SystemClock`, and the second one the origin of its readings.
    let of_the_system = |line: &str| line.starts_with("Self::System =>") || line.starts_with("let unix_now =");
    assert_eq!(
        in_clock.iter().filter(|line| !of_the_system(line)).collect::<Vec<_>>(),
        [&"Instant::now()", &"*ORIGIN.get_or_init(Instant::now)"]
    );
    // Only a registry or circuit with the system's clock has a `SystemClock`.
    let clock = fs::read_to_string(root().join("breaker-core/src/clock.rs")).unwrap();
    let made = clock.lines().filter(|line| line.contains("SystemClock(())")).map(str::trim);
    assert_eq!(
        made.filter(|line| !line.starts_with("Self::System =>")).collect::<Vec<_>>(),
        ["pub(crate) struct SystemClock(());"]
    );
}
