//! An event of the `tracing` crate for each change of state and each rejection.
//!
//! Nothing is told of calls that pass, so a closed circuit costs what it costs without this.

use std::time::Duration;

use crate::event::{Event, Reason};
use crate::rejection::CircuitOpen;
use crate::state::State;

/// The target of all events, by which a subscriber filters them.
macro_rules! tell {
    ($level:ident, $($fields_and_message:tt)*) => {
        ::tracing::$level!(target: "breaker_core", $($fields_and_message)*)
    };
}

/// Tells of a change of state. What needs a look is a warning; what heals is information.
pub(crate) fn event(event: &Event) {
    let Event { connection, from, to, reason, operation, retry_after } = event;
    let (connection, from, to) = (connection.as_str(), from.as_str(), to.as_str());
    let (operation, retry_after_ms) = (*operation, retry_after.map(millis));
    // The level is a part of the call site, so each has its own.
    macro_rules! changed {
        ($level:ident, $message:literal) => {
            tell!($level, connection, operation, from, to, reason = reason.as_str(), retry_after_ms, $message)
        };
    }
    match (event.to, event.reason) {
        (_, Reason::OverCapacity) => changed!(warn, "registry over capacity"),
        (_, Reason::LeaseExpired) => changed!(warn, "probe overtaken"),
        (State::Open, _) => changed!(warn, "circuit opened"),
        (State::HalfOpen, _) => changed!(info, "circuit half-open"),
        (State::Closed, _) => changed!(info, "circuit closed"),
    }
}

/// Tells of a call that was not made. There may be many of them, so they are for debugging.
pub(crate) fn rejection(open: &CircuitOpen) {
    tell!(
        debug,
        connection = open.connection(),
        operation = open.operation(),
        reason = open.reason().as_str(),
        retry_after_ms = open.retry_after().map(millis),
        "call rejected"
    );
}

/// Rounded up, so that who waits it is not too early.
fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
