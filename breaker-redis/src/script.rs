//! The one script, and how its operations are called.

use std::sync::LazyLock;
use std::time::Duration;

use breaker_core::fleet::Change;
use redis::{Cmd, Script};

use crate::backoff::random;

/// The script that does everything: what it reads, judges and writes is one step to every other client.
static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("script.lua")));

/// What is the same for all operations of a fleet.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) prefix: String,
    pub(crate) namespace: String,
    pub(crate) channel: String,
    pub(crate) ttl: Duration,
    /// Tells this process's messages on the channel from those of others.
    pub(crate) sender: String,
}

/// An operation on one circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Tell(Change),
}

impl Place {
    pub(crate) fn new(prefix: String, namespace: String, database: i64, ttl: Duration) -> Self {
        // Keys are those of one database, but channels those of the whole server.
        let channel = match database {
            0 => format!("{prefix}:v1:{namespace}"),
            other => format!("{prefix}:v1:{namespace}:{other}"),
        };
        let sender = format!("{:016x}", random());
        Self { prefix, namespace, channel, ttl, sender }
    }

    /// The key of a circuit's hash. What is in braces decides on which node of a cluster it lives.
    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}:v1:{{{}:{name}}}", self.prefix, self.namespace)
    }

    /// The call of the script for a circuit by the name that it has in keys.
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

    /// Makes the script known to the server.
    pub(crate) fn load() -> Cmd {
        let mut load = redis::cmd("SCRIPT");
        load.arg("LOAD").arg(include_str!("script.lua"));
        load
    }
}

impl Operation {
    /// Its word, and the two numbers that it needs.
    fn arguments(self) -> (&'static str, u64, u64) {
        match self {
            Self::Tell(Change::Failed { threshold, cooldown }) => ("fail", u64::from(threshold), micros(cooldown)),
            Self::Tell(Change::Answered) => ("answer", 0, 0),
            Self::Tell(Change::Opened { cooldown }) => ("open", micros(cooldown), 0),
            Self::Tell(Change::ProbeWanted { lease }) => ("probe", micros(lease), 0),
            Self::Tell(Change::ProbeSucceeded) => ("won", 0, 0),
            Self::Tell(Change::ProbeFailed { cooldown }) => ("lost", micros(cooldown), 0),
            Self::Tell(Change::ProbeDropped) => ("drop", 0, 0),
            Self::Tell(Change::Reset) => ("reset", 0, 0),
            Self::Tell(Change::Tripped { cooldown }) => ("trip", micros(cooldown), 0),
            Self::Tell(Change::HeldOpen) => ("hold", 0, 0),
            // What a later version of the core may tell is nothing to the script.
            Self::Read | Self::Tell(_) => ("read", 0, 0),
        }
    }
}

/// No longer than ten years, so that the script's floating point stays exact.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.min(LONGEST).as_micros()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.min(LONGEST).as_millis()).unwrap_or(u64::MAX)
}
