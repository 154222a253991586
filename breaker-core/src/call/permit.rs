//! Permits, for calls that are settled explicitly.

use super::{Call, Guard};
use crate::circuit::{Circuit, UNNAMED};
use crate::evidence::{Evidence, Judgement};
use crate::rejection::CircuitOpen;

/// The permission to make one call, from [`Circuit::try_acquire`].
///
/// Settle it with the evidence of the call. Dropping it without that is a cancellation: the evidence is Unknown, and a
/// probe's slot is released. The slot of a forgotten permit is released when its lease ends.
#[derive(Debug)]
#[must_use = "a permit that is dropped unsettled is a cancellation"]
pub struct Permit(Guard<Circuit>);

impl Permit {
    pub(crate) fn acquire(circuit: &Circuit) -> Result<Self, CircuitOpen> {
        Ok(Self(Guard::new(Call::admitted(circuit.clone(), &UNNAMED)?)))
    }

    /// Settles the call with this evidence.
    pub fn settle(mut self, evidence: Evidence) {
        self.0.settle(Judgement::of(evidence));
    }
}
