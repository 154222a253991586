//! Events and snapshots of a circuit.

mod snapshot;

use std::fmt;
use std::time::Duration;

use crate::key::Key;
use crate::state::State;

pub use snapshot::{Last, Snapshot};

/// A change of state, as hooks of [`RegistryBuilder::on_event`](crate::RegistryBuilder::on_event) receive it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The key of the connection.
    pub connection: Key<'static>,
    /// The state before.
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
        write!(f, "connection `{connection}`: {from} -> {to} ({reason})")?;
        match operation {
            Some(operation) => write!(f, " by `{operation}`"),
            None => Ok(()),
        }
    }
}

/// The reason for a change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The failures in a row, or within the window, reached the threshold, so the circuit opened.
    Threshold,
    /// The failure rate reached its limit, so the circuit opened.
    Rate,
    /// The cooldown is over, and the first probe was admitted.
    CooldownOver,
    /// Enough probes succeeded, so the circuit closed.
    ProbeSucceeded,
    /// A probe failed, so the circuit opened again.
    ProbeFailed,
    /// A probe held its slot longer than its lease, and another caller took the slot. The circuit is still half-open.
    LeaseExpired,
    /// Too many probes in a row were inconclusive, so the circuit opened again.
    Inconclusive,
    /// [`Circuit::trip`](crate::Circuit::trip) opened the circuit.
    Tripped,
    /// [`Circuit::hold_open`](crate::Circuit::hold_open) opened the circuit.
    Held,
    /// A reset closed the circuit.
    Reset,
    /// Another process of the [fleet](crate::fleet) opened the circuit.
    FleetOpened,
    /// Another process of the fleet closed the circuit.
    FleetClosed,
    /// Another process of the fleet has the probe grant, so the circuit is half-open.
    FleetProbes,
    /// The fleet no longer knows the circuit, for example because its store was emptied, so the circuit closed.
    FleetForgot,
    /// Not a change of state: the registry grew over its capacity with this connection, because no circuit can be
    /// evicted.
    OverCapacity,
}

impl Reason {
    /// Returns the reason as text, such as `probe succeeded`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Rate => "rate",
            Self::CooldownOver => "cooldown over",
            Self::ProbeSucceeded => "probe succeeded",
            Self::ProbeFailed => "probe failed",
            Self::LeaseExpired => "lease expired",
            Self::Inconclusive => "inconclusive",
            Self::Tripped => "tripped",
            Self::Held => "held",
            Self::Reset => "reset",
            Self::FleetOpened => "fleet opened",
            Self::FleetClosed => "fleet closed",
            Self::FleetProbes => "fleet probes",
            Self::FleetForgot => "fleet forgot",
            Self::OverCapacity => "over capacity",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
