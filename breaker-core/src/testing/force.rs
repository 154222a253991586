//! A circuit in the state that a test wants to see.

use crate::circuit::Circuit;
use crate::state::State;

/// Puts a circuit in a state, whatever it was in, as if its own story had led there.
///
/// | state | what the code under test sees |
/// |---|---|
/// | `Closed` | calls pass; no failures yet |
/// | `Open` | calls are rejected for one cooldown of the circuit's clock |
/// | `HalfOpen` | the cooldown is over, so the next call is the probe |
///
/// For a circuit that no time opens, use [`Circuit::hold_open`].
///
/// ```
/// use breaker_core::{Circuit, Config, State, testing::force};
///
/// let circuit = Circuit::new("shop-7", Config::default());
/// for state in [State::HalfOpen, State::Open, State::Closed] {
///     force(&circuit, state);
///     assert_eq!(circuit.state(), state);
/// }
/// ```
pub fn force(circuit: &Circuit, state: State) {
    match state {
        State::Closed => circuit.reset(),
        State::Open => {
            if circuit.snapshot().held {
                circuit.reset();
            }
            circuit.trip();
        }
        State::HalfOpen => circuit.inner().end_cooldown(),
    }
}
