//! The example `fleet`: its output is complete, and it leaves no process behind.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

/// Built once, in the profile of the tests.
static EXAMPLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--example", "fleet", "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo");
    assert!(build.status.success(), "the example does not build");
    let messages = String::from_utf8(build.stdout).expect("text");
    let mut executables = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "fleet").then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executables.next_back().expect("an executable")
});

/// Whether a server is installed. Prints a note if none is, which is a failure in CI.
fn can_run() -> bool {
    let is_there = |program| Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    let found = ["redis-server", "valkey-server"].into_iter().any(is_there);
    if !found {
        assert!(std::env::var_os("CI").is_none(), "there is no redis-server, and in CI there has to be one");
        // Not `eprintln!`, because the test harness captures it.
        let _ = writeln!(io::stderr(), "SKIPPED: there is no redis-server here (Debian: apt-get install redis-server)");
    }
    found
}

/// The port of the server, from the first line of the output.
fn port(story: &str) -> u16 {
    let (_, rest) = story.split_once("redis://127.0.0.1:").expect("an address");
    rest.split('/').next().expect("a port").parse().expect("a number")
}

#[test]
fn four_workers_behave_as_one_circuit() {
    if !can_run() {
        return;
    }
    let run = Command::new(&*EXAMPLE).output().expect("it runs");
    let (story, contradictions) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && contradictions.is_empty(), "{story}\n{contradictions}");
    // The example checks its own steps, but not that each of them is present.
    let count = |what| story.matches(what).count();
    assert_eq!(count(": open fleet opened"), 4, "{story}");
    assert_eq!(count("1 probe in the whole fleet"), 2, "{story}");
    assert_eq!(count(": closed probe succeeded"), 2, "{story}");
    assert_eq!(count(": closed fleet closed"), 6, "{story}");
    assert_eq!(count("20 requests reached the shop, 5 of each worker"), 1, "{story}");
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port(&story))).is_err(), "the server is still there");
}

// Fails if the server is a child of the main process, or if a worker does not watch its standard input.
#[test]
fn a_killed_example_leaves_no_process_behind() {
    if !can_run() {
        return;
    }
    let mut example = Command::new(&*EXAMPLE).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(example.stdout.take().expect("piped")).lines();
    let first = lines.next().expect("a line").expect("text");
    let second = lines.next().expect("a line").expect("text");
    assert!(second.contains("the shop is healthy"), "{second}");
    example.kill().expect("it was running");
    example.wait().expect("it was running");
    // All processes of the example write to this pipe, so it ends when the last of them does.
    let mut errors = example.stderr.take().expect("piped");
    let (ended, end) = mpsc::channel();
    thread::spawn(move || ended.send(errors.read_to_end(&mut Vec::new()).is_ok()));
    assert_eq!(end.recv_timeout(Duration::from_secs(30)), Ok(true), "a process is still there");
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port(&first))).is_err(), "the server is still there");
}
