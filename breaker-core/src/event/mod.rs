//! Events and snapshots of a circuit.

mod snapshot;

use std::fmt;
use std::time::Duration;

use crate::key::Key;
use crate::state::{State, enum_with_texts, one_line};

pub use snapshot::{Last, Snapshot};

/// A change of state, as hooks of [`RegistryBuilder::on_event`](crate::RegistryBuilder::on_event) receive it.
///
/// The events of a circuit are a chain: [`from`](Self::from) is [`to`](Self::to) of the event before. The text is one
/// line, also if a name contains control characters. They are escaped there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The key of the connection.
    pub connection: Key<'static>,
    /// The state before. `Open`, with `to` as well, if a command opened an open circuit again, or held it open.
    pub from: State,
    /// The state after.
    pub to: State,
    /// The reason for the change.
    pub reason: Reason,
    /// The operation whose call caused the change, if a named call did.
    pub operation: Option<&'static str>,
    /// The cooldown, where the circuit has just opened; `None` while it is held open.
    pub retry_after: Option<Duration>,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connection, from, to, reason, operation, .. } = self;
        let connection = one_line(connection);
        write!(f, "connection `{connection}`: {from} -> {to} ({reason})")?;
        match operation {
            Some(operation) => write!(f, " by `{}`", one_line(operation)),
            None => Ok(()),
        }
    }
}

enum_with_texts! {
    /// The reason for a change of state.
    #[non_exhaustive]
    pub enum Reason {
        /// The failures in a row, or within the window, reached the threshold, so the circuit opened.
        Threshold => "threshold",
        /// The failure rate reached its limit, so the circuit opened.
        Rate => "rate",
        /// The cooldown is over, and the first probe was admitted.
        CooldownOver => "cooldown over",
        /// Enough probes succeeded, so the circuit closed.
        ProbeSucceeded => "probe succeeded",
        /// A probe failed, so the circuit opened again.
        ProbeFailed => "probe failed",
        /// A probe held its slot longer than its lease, and another caller took the slot. The circuit is still half-open.
        LeaseExpired => "lease expired",
        /// Too many probes in a row were inconclusive, so the circuit opened again.
        Inconclusive => "inconclusive",
        /// [`Circuit::trip`](crate::Circuit::trip) opened the circuit.
        Tripped => "tripped",
        /// [`Circuit::hold_open`](crate::Circuit::hold_open) opened the circuit.
        Held => "held",
        /// A reset closed the circuit.
        Reset => "reset",
        /// Another process of the [fleet](crate::fleet) opened the circuit.
        FleetOpened => "fleet opened",
        /// Another process of the fleet closed the circuit.
        FleetClosed => "fleet closed",
        /// Another process of the fleet has the probe grant, so the circuit is half-open.
        FleetProbes => "fleet probes",
        /// The fleet no longer knows the circuit, for example because its store was emptied, so the circuit closed.
        FleetForgot => "fleet forgot",
        /// Not a change of state: the registry grew over its capacity with this connection, because no circuit can be
        /// evicted.
        OverCapacity => "over capacity",
    }

    /// Returns the reason as text, such as `probe succeeded`.
    pub fn as_str;
}
