//! Permits, for calls that are settled explicitly.

use super::{Call, Guard};
use crate::circuit::Circuit;
use crate::evidence::{Evidence, Judgement};
use crate::rejection::CircuitOpen;

/// The permission to make one call, from [`Circuit::try_acquire`].
///
/// [`settle`](Self::settle) it with the evidence of the call. Dropping it unsettled is a cancellation: its evidence is
/// Unknown, or Failed if it was held longer than [`dropped_after`](crate::ConfigBuilder::dropped_after). A probe's slot
/// is released in both cases. If a permit is leaked with [`mem::forget`](std::mem::forget), the slot is released at the
/// end of its [lease](crate::ConfigBuilder::probe_lease).
///
/// ```
/// use breaker_core::{Circuit, Config, Evidence};
///
/// # fn ping() -> bool { true }
/// let circuit = Circuit::new("shop-7", Config::default());
/// match circuit.try_acquire() {
///     Ok(permit) => permit.settle(if ping() { Evidence::Answered } else { Evidence::Failed }),
///     Err(open) => println!("not called: {open}"),
/// }
/// assert_eq!(circuit.snapshot().failed, 0);
/// ```
#[derive(Debug)]
#[must_use = "a permit that is dropped unsettled is a cancellation"]
pub struct Permit(Guard<Circuit>);

impl Permit {
    pub(crate) fn acquire(circuit: &Circuit) -> Result<Self, CircuitOpen> {
        Ok(Self(Guard::new(Call::admitted(circuit.clone())?)))
    }

    /// Settles the call with its evidence. If the circuit has changed its state since the permit was acquired, the
    /// evidence is ignored and counted as [stale](crate::Snapshot::stale).
    pub fn settle(mut self, evidence: Evidence) {
        self.0.finish_with(Judgement::of(evidence));
    }
}
