//! Updates of the fleet to a circuit.

use std::time::Duration;

/// The state of a circuit in its fleet, as an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an implementation of a fleet creates these")]
pub struct StateUpdate {
    /// The number of this state. It grows with each change, so an update of an older era is ignored.
    ///
    /// With [`FleetState::Forgotten`] it is the era up to which the fleet would have known the state.
    pub era: u64,
    /// The state.
    pub state: FleetState,
    /// The [stamp](super::CircuitReport::stamp) of the verdict to which this is the reply, whether it was accepted or
    /// refused.
    pub answers: Option<u64>,
}

/// The state of a circuit in its fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetState {
    /// Calls pass.
    Closed {
        /// Whether failures are recorded that an answer would clear.
        failures: bool,
    },
    /// Calls are rejected.
    Open {
        /// The remaining cooldown; zero where the next probe may be granted. The circuit limits it to the longest
        /// cooldown of its own settings.
        remaining: Duration,
    },
    /// Calls are rejected until the circuit is reset.
    HeldOpen,
    /// A process has the grant to probe.
    Probing {
        /// The rest of its lease.
        remaining: Duration,
    },
    /// The store was emptied, or the unused circuit expired. The circuit counts as closed.
    Forgotten,
}
