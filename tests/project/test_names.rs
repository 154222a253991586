//! Tests named elsewhere exist: in `scripts/mutants.txt` and in `docs/reliability.md`.

use std::collections::HashSet;
use std::fs;

use crate::{read, root};

/// A breakage of `scripts/mutants.txt`.
#[derive(Default)]
struct Breakage {
    name: String,
    file: String,
    test: String,
    old: String,
}

fn breakages() -> Vec<Breakage> {
    let mut all: Vec<Breakage> = Vec::new();
    for line in read("scripts/mutants.txt").lines() {
        if let Some(name) = line.strip_prefix("== ") {
            all.push(Breakage { name: name.to_owned(), ..Breakage::default() });
        }
        let Some(last) = all.last_mut() else { continue };
        if let Some(file) = line.strip_prefix("file: ") {
            file.clone_into(&mut last.file);
        } else if let Some(test) = line.strip_prefix("test: ") {
            test.clone_into(&mut last.test);
        } else if let Some(old) = line.strip_prefix('-') {
            last.old.push_str(old);
            last.old.push('\n');
        }
    }
    all
}

/// The files that may contain a test: the sources of all test binaries, and the models.
fn sources(module: &str) -> Vec<String> {
    if module == "loom" || module == "loom_tests" {
        return vec!["breaker-core/src/loom_tests.rs".to_owned()];
    }
    let mut sources = vec![format!("tests/{module}/main.rs")];
    for folder in [
        "tests",
        "tests/laws",
        "tests/attribute",
        "tests/marks",
        "tests/project",
        "tests/ecosystem",
        "tests/fleet",
        "breaker-redis/tests",
        "breaker-redis/tests/fleet",
    ] {
        sources.push(format!("{folder}/{module}.rs"));
    }
    sources
}

/// Whether there is a test of this name, as `MODULE::NAME`, or a module of this name.
fn has_test(name: &str) -> bool {
    let (module, function) = name.split_once("::").unwrap_or((name, ""));
    let texts = sources(module).into_iter().filter_map(|path| fs::read_to_string(root().join(path)).ok());
    let wanted = if function.is_empty() { String::new() } else { format!("fn {function}(") };
    texts.into_iter().any(|text| text.contains(&wanted))
}

/// Whether there is a test of this path, as `BINARY::MODULE::NAME`, `BINARY::NAME` or `loom::NAME`.
fn has_test_path(path: &str) -> bool {
    let (binary, name) = path.split_once("::").unwrap_or_default();
    if binary == "loom" {
        return has_test(path);
    }
    let folder = root().join("tests");
    let mains = [folder.join(binary).join("main.rs"), folder.join(format!("{binary}.rs"))];
    let Some(main) = mains.into_iter().find(|path| path.exists()) else { return false };
    let (source, function) = match name.split_once("::") {
        Some((module, function)) => (folder.join(binary).join(format!("{module}.rs")), function),
        None => (main, name),
    };
    fs::read_to_string(source).is_ok_and(|text| text.contains(&format!("fn {function}(")))
}

#[test]
fn the_path_of_a_test_begins_with_its_binary() {
    assert!(has_test_path("laws::crowds::a_hundred_concurrent_calls_take_the_time_of_one"));
    assert!(has_test_path("memory::memory_stays_bounded") && has_test_path("model::random_streams"));
    assert!(has_test_path("loom::a_reset_against_a_trip"));
    assert!(!has_test_path("crowds::a_hundred_concurrent_calls_take_the_time_of_one"), "`crowds` is not a binary");
    assert!(!has_test_path("laws::crowds::no_such_test") && !has_test_path("laws::no_such_module::test"));
}

// Fails if a change of the core removes the text of a breakage. Otherwise only a run of all breakages would reveal it.
#[test]
fn every_breakage_can_be_applied() {
    let breakages = breakages();
    assert!(breakages.len() > 50, "only {} breakages found", breakages.len());
    let mut names = HashSet::new();
    for Breakage { name, file, test, old } in &breakages {
        assert_eq!(
            read(file).matches(old.trim_end_matches('\n')).count(),
            1,
            "{name}: its text does not occur exactly once in {file}"
        );
        assert!(has_test_path(test), "{name}: the test {test} does not exist");
        assert!(names.insert(name), "two breakages are called {name}");
    }
}

#[test]
fn every_test_in_the_reliability_guide_exists() {
    let text = read("docs/reliability.md");
    let candidates = text.split('`').skip(1).step_by(2).filter(|name| {
        let is_word = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        name.split_once("::").is_some_and(|(file, test)| is_word(file) && is_word(test) && !test.is_empty())
            || name.starts_with("law_")
    });
    let mut found = 0;
    for name in candidates.filter(|name| !name.starts_with("mem::")) {
        found += 1;
        assert!(has_test(name), "the test {name} does not exist");
    }
    assert!(found > 60, "only {found} tests found");
}
