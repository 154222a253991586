//! Counters and last results of a circuit, for snapshots.

use super::CallSite;
use crate::clock::Time;
use crate::event::Last;
use crate::evidence::{Evidence, Judgement, TypeName};
use crate::machine::{CallNumber, Settlement, Transition};

/// Counters of all results except plain successes. Counting those would cost every healthy call a shared write.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) opened: u64,
    pub(super) answers: u64,
    pub(super) failed: u64,
    pub(super) cleared: u64,
    pub(super) last_failure: Option<LastResult>,
    pub(super) last_answer: Option<LastResult>,
    /// Boxed, because most circuits that count failures or answers never have one of these.
    rare: Option<Box<RareCounters>>,
}

/// Counters of results that are not evidence, and the numbers of calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct RareCounters {
    /// The last number that a call with inner calls got.
    last_number: CallNumber,
    pub(super) unknown: u64,
    pub(super) dropped: u64,
    pub(super) stale: u64,
}

/// A remembered result. The error's message is left out because it may contain secrets.
#[derive(Debug)]
pub(super) struct LastResult {
    call_site: &'static CallSite,
    error: Option<TypeName>,
    at: Time,
}

impl Counters {
    pub(super) fn add(
        &mut self,
        judgement: &Judgement,
        settlement: &Settlement,
        call_site: &'static CallSite,
        now: Time,
    ) {
        self.opened += u64::from(settlement.transition().is_some_and(Transition::is_opening));
        let cleared = match settlement {
            Settlement::Recorded { cleared, .. } => *cleared,
            Settlement::CountedAlready { .. } => return,
            Settlement::Stale => {
                self.rare.get_or_insert_default().stale += 1;
                return;
            }
        };
        let last_result = || Some(LastResult { call_site, error: judgement.error, at: now });
        match judgement.evidence {
            Evidence::Answered => {
                self.answers += u64::from(judgement.is_marked());
                self.cleared += u64::from(cleared);
                self.last_answer = last_result();
            }
            Evidence::Failed => {
                self.failed += 1;
                self.last_failure = last_result();
            }
            Evidence::Unknown if judgement.dropped => {}
            Evidence::Unknown => self.rare.get_or_insert_default().unknown += 1,
        }
        if judgement.dropped {
            self.rare.get_or_insert_default().dropped += 1;
        }
    }

    /// The number that the next call with inner calls gets.
    pub(super) fn next_number(&self) -> CallNumber {
        self.rare().last_number.next()
    }

    pub(super) fn use_number(&mut self, number: CallNumber) {
        self.rare.get_or_insert_default().last_number = number;
    }

    pub(super) fn rare(&self) -> RareCounters {
        self.rare.as_deref().copied().unwrap_or_default()
    }
}

impl Default for RareCounters {
    fn default() -> Self {
        Self { last_number: CallNumber::NONE, unknown: 0, dropped: 0, stale: 0 }
    }
}

impl LastResult {
    /// This result as a snapshot at `now` shows it.
    pub(super) fn seen_at(&self, now: Time) -> Last {
        let error = self.error.map(|name| name());
        Last { operation: self.call_site.operation, error, age: now.since(self.at) }
    }
}
