//! Counts of one circuit, or the sum of several.

use std::sync::{Mutex, PoisonError};

use crate::event::Reason;
use crate::rejection::RejectionReason;
use crate::state::State;

/// Returns the state to which a reason leads; `None` for an event that is not a change of state. Exhaustive, so that a new
/// reason does not compile before it is decided here.
pub(crate) const fn state_after(reason: Reason) -> Option<State> {
    match reason {
        Reason::Threshold
        | Reason::Rate
        | Reason::ProbeFailed
        | Reason::Inconclusive
        | Reason::Tripped
        | Reason::Held
        | Reason::FleetOpened => Some(State::Open),
        Reason::CooldownOver | Reason::LeaseExpired | Reason::FleetProbes => Some(State::HalfOpen),
        Reason::ProbeSucceeded | Reason::Reset | Reason::FleetClosed | Reason::FleetForgot => Some(State::Closed),
        Reason::OverCapacity => None,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) answered: u64,
    pub(crate) failed: u64,
    pub(crate) unknown: u64,
    pub(crate) stale: u64,
    pub(crate) cleared: u64,
    /// By [`RejectionReason`].
    pub(crate) rejections: [u64; RejectionReason::ALL.len()],
    /// By [`Reason`].
    pub(crate) transitions: [u64; Reason::ALL.len()],
    /// By [`State`].
    pub(crate) nanos_in: [u64; State::ALL.len()],
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.failed += other.failed;
        self.unknown += other.unknown;
        self.stale += other.stale;
        self.cleared += other.cleared;
        self.add_rejections(&other.rejections);
        add_each(&mut self.transitions, &other.transitions);
        add_each(&mut self.nanos_in, &other.nanos_in);
    }

    pub(crate) fn add_rejections(&mut self, rejections: &[u64; RejectionReason::ALL.len()]) {
        add_each(&mut self.rejections, rejections);
    }
}

fn add_each(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.saturating_add(*more);
    }
}

/// The counts that evicted circuits had not reported yet, as one sum.
#[derive(Debug, Default)]
pub(crate) struct Retired(Mutex<Counts>);

impl Retired {
    pub(crate) fn add(&self, counts: &Counts) {
        if *counts != Counts::default() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).add(counts);
        }
    }

    pub(crate) fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_are_in_the_order_of_their_discriminants() {
        for (position, state) in State::ALL.iter().enumerate() {
            assert_eq!(*state as usize, position, "{state}");
        }
    }
}
