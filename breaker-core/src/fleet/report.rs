//! Reports of a circuit to its fleet.

use std::sync::Arc;
use std::time::Duration;

/// A report of a circuit to its [`Fleet`](super::Fleet).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CircuitReport {
    /// The key of the connection.
    pub connection: Arc<str>,
    /// The era of the fleet's state that the circuit knew at that time, or the era of a probe's grant; `None` where the
    /// circuit knows no era yet. A fleet refuses a report that is based on an older era than its own.
    pub era: Option<u64>,
    /// The change.
    pub change: Change,
    /// The stamp of a verdict, `None` in other reports. The reply repeats it, in
    /// [`StateUpdate::answers`](super::StateUpdate::answers) or [`Link::undelivered`](super::Link::undelivered).
    pub stamp: Option<u64>,
}

/// A change of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The circuit was created and asks for the state of the fleet.
    Joined,
    /// A call failed, and the circuit did not open by itself.
    Failed {
        /// The number of failures in a row that opens the circuit.
        threshold: u32,
        /// The cooldown after such an opening.
        cooldown: Duration,
    },
    /// A call was answered, so the failures in the store are cleared. Reported only by a circuit that knows of a
    /// failure.
    Answered,
    /// The circuit opened by itself.
    Opened {
        /// The cooldown, from now.
        cooldown: Duration,
    },
    /// The cooldown is over, and a call that could probe was rejected, because only the fleet grants probes.
    ProbeWanted {
        /// The lease of a probe.
        lease: Duration,
    },
    /// Enough probes under the grant of this era succeeded, so the circuit closed.
    ProbeSucceeded,
    /// A probe under the grant of this era failed, or too many were inconclusive, so the circuit opened again.
    ProbeFailed {
        /// The cooldown, from now.
        cooldown: Duration,
    },
    /// The grant of this era is returned, because its probe was inconclusive.
    ProbeDropped,
    /// [`Circuit::reset`](crate::Circuit::reset) was called, in whatever state.
    Reset,
    /// [`Circuit::trip`](crate::Circuit::trip) was called. A circuit that is held open stays held.
    Tripped {
        /// The cooldown, from now.
        cooldown: Duration,
    },
    /// [`Circuit::hold_open`](crate::Circuit::hold_open) was called, in whatever state.
    HeldOpen,
}
