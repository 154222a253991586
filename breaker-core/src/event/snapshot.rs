//! What a circuit looks like at one moment.

use std::time::Duration;

use crate::key::Key;
use crate::state::State;

/// What a circuit looks like at one moment. Taking it changes nothing.
///
/// Plain successes of a closed circuit are not counted: that would cost every healthy call a shared write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The key of the connection.
    pub connection: Key<'static>,
    /// The state: half-open as soon as the cooldown is over.
    pub state: State,
    /// Whether the circuit is held open until it is reset.
    pub held: bool,
    /// The failures that count towards the threshold at this moment.
    pub streak: u32,
    /// The rest of the cooldown, if the circuit is in one.
    pub retry_after: Option<Duration>,
    /// How often the circuit opened, reopenings included.
    pub times_opened: u64,
    /// Errors that proved an answer.
    pub marked_answers: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Finished calls that said nothing.
    pub unknown: u64,
    /// Calls that were rejected.
    pub rejected: u64,
    /// Calls that were dropped before they finished.
    pub dropped: u64,
    /// Results of an older era, which changed nothing.
    pub stale: u64,
    /// Failures that an answer cleared from the streak: a degradation that clearing can hide.
    pub failures_cleared_by_answers: u64,
    /// The last call that failed.
    pub last_failure: Option<Last>,
    /// The last answer, but for plain successes that changed nothing.
    pub last_answer: Option<Last>,
}

/// A result that a circuit remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Last {
    /// The operation, where it has a name.
    pub operation: Option<&'static str>,
    /// The type of the error, where there was one. Never its message, which may hold secrets.
    pub error: Option<&'static str>,
    /// How long ago it was.
    pub age: Duration,
}
