//! A process of the fleet, controlled by a test: it reads one command in each line and replies.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::{SECOND, until};

/// The settings of a process.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) url: String,
    pub(crate) threshold: u32,
    pub(crate) cooldown: Duration,
    pub(crate) lease: Duration,
    pub(crate) poll: Duration,
    pub(crate) scope: &'static str,
}

impl Settings {
    pub(crate) fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            threshold: 3,
            cooldown: 60 * SECOND,
            lease: 30 * SECOND,
            poll: SECOND / 2,
            scope: "fleet",
        }
    }
}

pub(crate) struct Process {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
}

impl Process {
    /// Starts this test program again as a worker.
    pub(crate) fn start(settings: &Settings) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "worker", "--nocapture", "--test-threads=1"])
            .env("FLEET_URL", &settings.url)
            .env("FLEET_THRESHOLD", settings.threshold.to_string())
            .env("FLEET_COOLDOWN", settings.cooldown.as_micros().to_string())
            .env("FLEET_LEASE", settings.lease.as_micros().to_string())
            .env("FLEET_POLL", settings.poll.as_micros().to_string())
            .env("FLEET_SCOPE", settings.scope)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            // Lines that the test program itself prints are not replies.
            for line in output.lines().map_while(Result::ok) {
                if let Some(answer) = line.strip_prefix("> ") {
                    let _ = sender.send(answer.to_owned());
                }
            }
        });
        Self { child, commands, answers }
    }

    /// Starts a process and waits until it receives updates.
    pub(crate) fn join(settings: &Settings) -> Self {
        let mut process = Self::start(settings);
        process.wait_until_connected();
        process
    }

    pub(crate) fn wait_until_connected(&mut self) {
        until("it is connected", 10 * SECOND, || self.ask("health").starts_with("connected subscribed"));
    }

    pub(crate) fn send(&mut self, command: &str) {
        writeln!(self.commands, "{command}").unwrap();
    }

    pub(crate) fn answer(&mut self) -> String {
        self.answers.recv_timeout(30 * SECOND).expect("no answer")
    }

    /// `None` after the process has ended.
    pub(crate) fn line(&mut self) -> Option<String> {
        self.answers.recv_timeout(30 * SECOND).ok()
    }

    pub(crate) fn ask(&mut self, command: &str) -> String {
        self.send(command);
        self.answer()
    }

    /// Reads a reply that is a number.
    pub(crate) fn number(&mut self, command: &str) -> u64 {
        let answer = self.ask(command);
        answer.parse().unwrap_or_else(|_| panic!("{command}: {answer}"))
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
