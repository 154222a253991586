//! Events of the `tracing` crate: one for each change of state and one for each rejection.
//!
//! Calls that pass emit nothing, so a closed circuit costs the same with and without this.

use std::time::Duration;

use crate::event::{Event, Reason};
use crate::rejection::CircuitOpen;
use crate::state::{State, one_line};

/// Emits an event with the target by which subscribers filter.
macro_rules! emit {
    ($level:ident, $($fields_and_message:tt)*) => {
        ::tracing::$level!(target: "breaker_core", $($fields_and_message)*)
    };
}

/// Emits the event of a change of state: a warning where the circuit opens, information where it recovers.
pub(crate) fn event(event: &Event) {
    let Event { connection, from, to, reason, operation, retry_after } = event;
    // Some subscribers write a text as it is.
    let (connection, operation) = (one_line(connection), operation.map(one_line));
    let (connection, operation, from, to) = (&*connection, operation.as_deref(), from.as_str(), to.as_str());
    let retry_after_ms = retry_after.map(millis);
    // `tracing` fixes the level at the call site, so each level needs a call site of its own.
    macro_rules! changed {
        ($level:ident, $message:literal) => {
            emit!($level, connection, operation, from, to, reason = reason.as_str(), retry_after_ms, $message)
        };
    }
    match (event.to, event.reason) {
        (_, Reason::OverCapacity) => changed!(warn, "registry over capacity"),
        (_, Reason::LeaseExpired) => changed!(warn, "probe overtaken"),
        (State::Open, _) if event.from == State::Open => changed!(warn, "circuit stays open"),
        (State::Open, _) => changed!(warn, "circuit opened"),
        (State::HalfOpen, _) => changed!(info, "circuit half-open"),
        (State::Closed, _) => changed!(info, "circuit closed"),
    }
}

/// Emits the event of a rejected call, at debug level because there may be many of them.
pub(crate) fn rejection(open: &CircuitOpen) {
    emit!(
        debug,
        connection = &*one_line(open.connection()),
        operation = open.operation().map(one_line).as_deref(),
        reason = open.reason().as_str(),
        retry_after_ms = open.retry_after().map(millis),
        "call rejected"
    );
}

/// Converts to milliseconds, rounded up, so that a caller that waits as long is not too early.
fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
