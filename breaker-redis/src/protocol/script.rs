//! The Lua script and its operations.

use std::sync::LazyLock;
use std::time::Duration;

use breaker_core::fleet::Change;
use redis::{Cmd, Script};

use crate::backoff::random;

/// The script that carries out every operation. Redis runs it as one atomic step, so no other process sees or changes a
/// circuit between its read and its write.
static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("script.lua")));

/// The parts of a call that are equal for all operations of a fleet.
#[derive(Debug)]
pub(crate) struct Namespace {
    pub(crate) prefix: String,
    pub(crate) name: String,
    pub(crate) channel: String,
    pub(crate) ttl: Duration,
    /// Identifies this process on the channel, where it ignores its own messages.
    pub(crate) sender: String,
}

/// An operation on one circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Report(Change),
}

impl Namespace {
    pub(crate) fn new(prefix: String, name: String, database: i64, ttl: Duration) -> Self {
        // Keys belong to one database, but channels to the whole server, so the channel name contains the database.
        let channel = match database {
            0 => format!("{prefix}:v1:{name}"),
            other => format!("{prefix}:v1:{name}:{other}"),
        };
        let sender = format!("{:016x}", random());
        Self { prefix, name, channel, ttl, sender }
    }

    /// The key of a circuit's hash. The part in braces determines its node in a cluster.
    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}:v1:{{{}:{name}}}", self.prefix, self.name)
    }

    /// Builds the call of the script for a circuit, by its encoded name.
    pub(crate) fn call(&self, name: &str, era: Option<u64>, operation: Operation) -> Cmd {
        let (word, first, second) = operation.arguments();
        let mut call = redis::cmd("EVALSHA");
        call.arg(SCRIPT.get_hash()).arg(1).arg(self.key(name));
        match era {
            Some(era) => call.arg(word).arg(era),
            None => call.arg(word).arg(""),
        };
        call.arg(&self.channel).arg(name).arg(millis(self.ttl)).arg(first).arg(second).arg(&self.sender);
        call
    }

    /// Builds the command that loads the script on the server.
    pub(crate) fn load() -> Cmd {
        let mut load = redis::cmd("SCRIPT");
        load.arg("LOAD").arg(include_str!("script.lua"));
        load
    }
}

impl Operation {
    /// Returns the name of the operation and its two numbers.
    fn arguments(self) -> (&'static str, u64, u64) {
        match self {
            Self::Report(Change::Failed { threshold, cooldown }) => ("fail", u64::from(threshold), micros(cooldown)),
            Self::Report(Change::Answered) => ("answer", 0, 0),
            Self::Report(Change::Opened { cooldown }) => ("open", micros(cooldown), 0),
            Self::Report(Change::ProbeWanted { lease }) => ("probe", micros(lease), 0),
            Self::Report(Change::ProbeSucceeded) => ("won", 0, 0),
            Self::Report(Change::ProbeFailed { cooldown }) => ("lost", micros(cooldown), 0),
            Self::Report(Change::ProbeDropped) => ("drop", 0, 0),
            Self::Report(Change::Reset) => ("reset", 0, 0),
            Self::Report(Change::Tripped { cooldown }) => ("trip", micros(cooldown), 0),
            Self::Report(Change::HeldOpen) => ("hold", 0, 0),
            // The script does not know a change that a later version of the core adds, and only reads then.
            Self::Read | Self::Report(_) => ("read", 0, 0),
        }
    }
}

/// Ten years. Numbers of the script are `f64`, which hold each microsecond exactly up to 2^53, in the year 2255.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.min(LONGEST).as_micros()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.min(LONGEST).as_millis()).unwrap_or(u64::MAX)
}
