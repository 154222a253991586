//! `force`: puts a circuit into a given state.

use crate::circuit::Circuit;
use crate::state::State;

/// Puts a circuit into a state, whatever its current state is.
///
/// | state | effect on the code under test |
/// |---|---|
/// | `Closed` | calls pass; the streak is 0 |
/// | `Open` | calls are rejected for one cooldown, measured by the circuit's clock |
/// | `HalfOpen` | the cooldown is over, so the next call is the probe |
///
/// For a circuit that stays open, use [`Circuit::hold_open`].
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
