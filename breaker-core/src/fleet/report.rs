//! What a circuit tells.

use std::sync::Arc;
use std::time::Duration;

/// What a circuit tells its [`Fleet`](super::Fleet).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CircuitReport {
    /// The key of the connection.
    pub connection: Arc<str>,
    /// The era of the fleet's state that the circuit knew when this happened, or that of the grant which a probe had;
    /// `None` where it never heard of one. What is founded on an older era than the fleet's is to be refused.
    pub era: Option<u64>,
    /// What happened.
    pub change: Change,
    /// There for verdicts alone: to be repeated in the answer ([`StateUpdate::answers`](super::StateUpdate::answers)) or in
    /// [`Link::undelivered`](super::Link::undelivered).
    pub stamp: Option<u64>,
}

/// What happened to a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The circuit has come into being, and would like to hear how things stand.
    Joined,
    /// A call failed. The circuit has not opened by itself.
    Failed {
        /// So many failures in a row open it.
        threshold: u32,
        /// How long it would then stay open.
        cooldown: Duration,
    },
    /// A call was answered, and there may be failures to forget. StateUpdate only by a circuit that knows of a failure.
    Answered,
    /// The circuit opened by itself.
    Opened {
        /// For how long, from now.
        cooldown: Duration,
    },
    /// The cooldown is over, and a call that could probe was rejected, because that right is the fleet's to give.
    ProbeWanted {
        /// How long a probe may take.
        lease: Duration,
    },
    /// Enough probes under the grant of this era succeeded: the circuit closed.
    ProbeSucceeded,
    /// A probe under the grant of this era failed, or too many said nothing: the circuit opened again.
    ProbeFailed {
        /// For how long, from now.
        cooldown: Duration,
    },
    /// The grant of this era is given back, for its probe said nothing.
    ProbeDropped,
    /// [`Circuit::reset`](crate::Circuit::reset), whatever the state was.
    Reset,
    /// [`Circuit::trip`](crate::Circuit::trip). A circuit that is held open stays so.
    Tripped {
        /// For how long, from now.
        cooldown: Duration,
    },
    /// [`Circuit::hold_open`](crate::Circuit::hold_open), whatever the state was.
    HeldOpen,
}
