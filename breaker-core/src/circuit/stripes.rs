//! Counts of the circuits that several threads call at once.
//!
//! A marked answer and a rejection are the commonest results that have to be counted, and they rarely change a state. If
//! all threads counted them in the circuit, they would write the same memory in turn, and several threads would make
//! fewer calls than one. So a circuit goes over to stripes when two threads meet at its counts for the first time: from
//! then on, each thread counts in a stripe that few other threads use, and a snapshot adds up all stripes.
//!
//! The stripes belong to the registry, so that a circuit needs no memory for them. They are allocated when the first of its
//! circuits needs them.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use super::counters::LastResult;
use crate::rejection::RejectionReason;
use crate::sync::{Mutex, Striped, lock};

/// The stripes of all circuits of a registry, each with counts by the identity of the circuit.
#[derive(Default)]
pub(crate) struct Stripes(OnceLock<Box<Striped<Mutex<StripedCircuits>>>>);

type StripedCircuits = HashMap<usize, StripedCounts, RandomState>;

/// What one stripe has counted of a circuit, or all stripes together.
#[derive(Clone, Debug, Default)]
pub(super) struct StripedCounts {
    pub(super) answers: u64,
    pub(super) rejections: u64,
    pub(super) last_answer: Option<LastResult>,
    /// The rejections since the last sample of metrics, by [`RejectionReason`].
    #[cfg(feature = "metrics")]
    unreported_rejections: [u64; RejectionReason::ALL.len()],
}

impl StripedCounts {
    #[cfg_attr(
        not(feature = "metrics"),
        expect(unused_variables, reason = "without metrics the reason is not counted")
    )]
    pub(super) fn add_rejection(&mut self, reason: RejectionReason) {
        self.rejections += 1;
        #[cfg(feature = "metrics")]
        if let Some(count) = self.unreported_rejections.get_mut(reason as usize) {
            *count += 1;
        }
    }
}

impl Stripes {
    /// Counts in the stripe of this thread.
    pub(super) fn count(&self, circuit: usize, count: impl FnOnce(&mut StripedCounts)) {
        let stripes = self.0.get_or_init(Box::default);
        count(lock(stripes.of_this_thread()).entry(circuit).or_default());
    }

    /// What all stripes together have counted of a circuit.
    pub(super) fn counts(&self, circuit: usize) -> StripedCounts {
        let mut total = StripedCounts::default();
        for stripe in self.all() {
            let stripe = lock(stripe);
            let Some(counts) = stripe.get(&circuit) else { continue };
            total.answers += counts.answers;
            total.rejections += counts.rejections;
            total.last_answer = LastResult::later(total.last_answer, counts.last_answer);
        }
        total
    }

    /// Takes the rejections since the last sample of metrics.
    #[cfg(feature = "metrics")]
    pub(super) fn take_rejections(&self, circuit: usize) -> [u64; RejectionReason::ALL.len()] {
        let mut total = [0; RejectionReason::ALL.len()];
        for stripe in self.all() {
            let mut stripe = lock(stripe);
            let Some(counts) = stripe.get_mut(&circuit) else { continue };
            for (sum, count) in total.iter_mut().zip(&mut counts.unreported_rejections) {
                *sum += std::mem::take(count);
            }
        }
        total
    }

    /// Removes the counts of a circuit that no longer exists.
    pub(super) fn remove(&self, circuit: usize) {
        for stripe in self.all() {
            lock(stripe).remove(&circuit);
        }
    }

    fn all(&self) -> impl Iterator<Item = &Mutex<StripedCircuits>> {
        self.0.get().into_iter().flat_map(|stripes| stripes.all())
    }
}
