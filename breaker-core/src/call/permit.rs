//! The right to make one call, in the caller's own hands.

use super::{Call, Guard};
use crate::circuit::{Circuit, UNNAMED};
use crate::evidence::{Evidence, Judgement};
use crate::rejection::CircuitOpen;

/// The right to make one call, from [`Circuit::try_acquire`].
///
/// Settle it with what the call proved. Dropping it unsettled is a cancellation, and says nothing; a forgotten one gives
/// a probe's slot back when its lease runs out.
#[derive(Debug)]
#[must_use = "a permit that is dropped unsettled is a cancellation"]
pub struct Permit(Guard<Circuit>);

impl Permit {
    pub(crate) fn acquire(circuit: &Circuit) -> Result<Self, CircuitOpen> {
        Ok(Self(Guard::new(Call::admitted(circuit.clone(), &UNNAMED)?)))
    }

    /// The call is over, and this is what it says.
    pub fn settle(mut self, evidence: Evidence) {
        self.0.settle(Judgement::of(evidence));
    }
}
