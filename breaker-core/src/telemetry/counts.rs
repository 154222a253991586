//! Counts of one circuit, or the sum of several.

use std::sync::{Mutex, PoisonError};

use crate::event::Reason;
use crate::rejection::RejectionReason;
use crate::state::State;

pub(crate) const STATES: [State; 3] = [State::Closed, State::Open, State::HalfOpen];

/// The reasons of a change of state, in the order of their discriminants, and where each leads.
pub(crate) const REASONS: [(Reason, State); 14] = [
    (Reason::Threshold, State::Open),
    (Reason::Rate, State::Open),
    (Reason::CooldownOver, State::HalfOpen),
    (Reason::ProbeSucceeded, State::Closed),
    (Reason::ProbeFailed, State::Open),
    (Reason::LeaseExpired, State::HalfOpen),
    (Reason::Inconclusive, State::Open),
    (Reason::Tripped, State::Open),
    (Reason::Held, State::Open),
    (Reason::Reset, State::Closed),
    (Reason::FleetOpened, State::Open),
    (Reason::FleetClosed, State::Closed),
    (Reason::FleetProbes, State::HalfOpen),
    (Reason::FleetForgot, State::Closed),
];

/// The reasons of a rejection, in the order of their discriminants.
pub(crate) const REJECTIONS: [RejectionReason; 4] = [
    RejectionReason::InCooldown,
    RejectionReason::ProbeInFlight,
    RejectionReason::NotAProbe,
    RejectionReason::HeldOpen,
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) answered: u64,
    pub(crate) failed: u64,
    pub(crate) unknown: u64,
    pub(crate) stale: u64,
    pub(crate) cleared: u64,
    /// By [`REJECTIONS`].
    pub(crate) rejections: [u64; REJECTIONS.len()],
    /// By [`REASONS`].
    pub(crate) transitions: [u64; REASONS.len()],
    /// By [`STATES`].
    pub(crate) nanos_in: [u64; STATES.len()],
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.failed += other.failed;
        self.unknown += other.unknown;
        self.stale += other.stale;
        self.cleared += other.cleared;
        add_each(&mut self.rejections, &other.rejections);
        add_each(&mut self.transitions, &other.transitions);
        add_each(&mut self.nanos_in, &other.nanos_in);
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
    fn the_tables_are_in_the_order_of_the_discriminants() {
        for (position, (reason, _)) in REASONS.iter().enumerate() {
            assert_eq!(*reason as usize, position, "{reason}");
        }
        for (position, reason) in REJECTIONS.iter().enumerate() {
            assert_eq!(*reason as usize, position, "{reason}");
        }
        for (position, state) in STATES.iter().enumerate() {
            assert_eq!(*state as usize, position, "{state}");
        }
    }
}
