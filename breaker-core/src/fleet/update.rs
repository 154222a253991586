//! What a circuit is told.

use std::time::Duration;

/// How a circuit stands in its fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "whoever writes a fleet makes these")]
pub struct StateUpdate {
    /// The number of this state. It grows with each change, so what is told of an older era is ignored.
    ///
    /// With [`FleetState::Forgotten`] it says up to which era the fleet would have known the state.
    pub era: u64,
    /// The state.
    pub state: FleetState,
    /// The [stamp](super::CircuitReport::stamp) of the verdict that this answers, whether it was accepted or refused.
    pub answers: Option<u64>,
}

/// The state of a circuit in its fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetState {
    /// Calls pass.
    Closed {
        /// Whether there are failures that an answer would clear.
        failures: bool,
    },
    /// Calls are rejected.
    Open {
        /// The rest of the cooldown; zero where the next probe may be granted. The circuit believes no more than the
        /// longest cooldown of its own settings.
        remaining: Duration,
    },
    /// Calls are rejected until somebody resets the circuit.
    HeldOpen,
    /// Somebody has the grant to probe.
    Probing {
        /// The rest of its lease.
        remaining: Duration,
    },
    /// The fleet has lost what it knew, or let go of a circuit that nobody used: that is closed.
    Forgotten,
}
