//! Point-in-time snapshots of a circuit.

use std::time::Duration;

use crate::key::Key;
use crate::state::State;

/// A point-in-time snapshot of a circuit. Taking one has no side effects.
///
/// Plain successes of a closed circuit are not counted, because that would cost every healthy call a shared write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The key of the connection.
    pub connection: Key<'static>,
    /// The state: half-open as soon as the cooldown is over.
    pub state: State,
    /// Whether the circuit is held open until it is reset.
    pub held: bool,
    /// The failures that currently count towards the threshold.
    pub streak: u32,
    /// The remaining cooldown, if the circuit is in one.
    pub retry_after: Option<Duration>,
    /// How often the circuit opened, including reopenings.
    pub times_opened: u64,
    /// Errors that proved an answer.
    pub marked_answers: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Finished calls without evidence.
    pub unknown: u64,
    /// Calls that were rejected.
    pub rejected: u64,
    /// Calls that were dropped before they finished.
    pub dropped: u64,
    /// Ignored results of an older era.
    pub stale: u64,
    /// Events that no hook received by themselves, because 1,024 others of this circuit waited for a hook that is slower than
    /// the changes. Such an event is merged with the newest one that waits: see
    /// [`on_event`](crate::RegistryBuilder::on_event).
    pub merged_events: u64,
    /// Failures that an answer cleared from the streak. A high number shows a degradation that cleared streaks mask.
    pub failures_cleared_by_answers: u64,
    /// The last call that failed.
    pub last_failure: Option<Last>,
    /// The last answer, except for plain successes that had no effect.
    pub last_answer: Option<Last>,
}

/// A remembered result of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Last {
    /// The operation, if it has a name.
    pub operation: Option<&'static str>,
    /// The type of the error, if there was one. The message is not kept, because it may contain secrets.
    pub error: Option<&'static str>,
    /// The time since the result.
    pub age: Duration,
}
