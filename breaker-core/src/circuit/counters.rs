//! What a circuit remembers of its past, for those who look at it.

use super::CallSite;
use crate::clock::Time;
use crate::event::Last;
use crate::evidence::{Evidence, Judgement, TypeName};
use crate::machine::Settlement;
use crate::state::State;

/// Counts of what is no plain success; those would cost a shared write on the happy path.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) opened: u64,
    pub(super) answers: u64,
    pub(super) failed: u64,
    pub(super) cleared: u64,
    pub(super) last_failure: Option<LastResult>,
    pub(super) last_answer: Option<LastResult>,
    /// Boxed, for most circuits that have a past have none of it.
    odd: Option<Box<RareCounters>>,
}

/// Counts of what neither proves nor disproves anything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RareCounters {
    pub(super) unknown: u64,
    pub(super) dropped: u64,
    pub(super) stale: u64,
}

/// A result worth remembering. Never its message, which may hold secrets.
#[derive(Debug)]
pub(super) struct LastResult {
    site: &'static CallSite,
    error: Option<TypeName>,
    at: Time,
}

impl Counters {
    pub(super) fn add(&mut self, report: &Judgement, verdict: &Settlement, site: &'static CallSite, now: Time) {
        let Settlement::Recorded { cleared, transition } = verdict else {
            self.odd.get_or_insert_default().stale += 1;
            return;
        };
        let moment = || Some(LastResult { site, error: report.error, at: now });
        match report.evidence {
            Evidence::Answered => {
                self.answers += u64::from(report.is_marked());
                self.cleared += u64::from(*cleared);
                self.last_answer = moment();
            }
            Evidence::Failed => {
                self.failed += 1;
                self.last_failure = moment();
            }
            Evidence::Unknown if report.dropped => {}
            Evidence::Unknown => self.odd.get_or_insert_default().unknown += 1,
        }
        if report.dropped {
            self.odd.get_or_insert_default().dropped += 1;
        }
        if let Some(transition) = transition {
            self.opened += u64::from(transition.to == State::Open);
        }
    }

    pub(super) fn odd(&self) -> RareCounters {
        self.odd.as_deref().copied().unwrap_or_default()
    }
}

impl LastResult {
    pub(super) fn seen_at(&self, now: Time) -> Last {
        let error = self.error.map(|name| name());
        Last { operation: self.site.operation, error, age: now.since(self.at) }
    }
}
