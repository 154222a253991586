//! What a circuit remembers of its past, for those who look at it.

use crate::clock::Time;
use crate::evidence::Evidence;
use crate::machine::Verdict;
use crate::report::{Report, TypeName};
use crate::site::Site;
use crate::snapshot::Last;
use crate::state::State;

/// Counts of what is no plain success; those would cost a shared write on the happy path.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) opened: u64,
    pub(super) answers: u64,
    pub(super) failed: u64,
    pub(super) cleared: u64,
    pub(super) last_failure: Option<Moment>,
    pub(super) last_answer: Option<Moment>,
    /// Boxed, for most circuits that have a past have none of it.
    odd: Option<Box<Odd>>,
}

/// Counts of what neither proves nor disproves anything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Odd {
    pub(super) unknown: u64,
    pub(super) dropped: u64,
    pub(super) stale: u64,
}

/// A result worth remembering. Never its message, which may hold secrets.
#[derive(Debug)]
pub(super) struct Moment {
    site: &'static Site,
    error: Option<TypeName>,
    at: Time,
}

impl Tally {
    pub(super) fn add(&mut self, report: &Report, verdict: &Verdict, site: &'static Site, now: Time) {
        let Verdict::Heard { cleared, transition } = verdict else {
            self.odd.get_or_insert_default().stale += 1;
            return;
        };
        let moment = || Some(Moment { site, error: report.error, at: now });
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

    pub(super) fn odd(&self) -> Odd {
        self.odd.as_deref().copied().unwrap_or_default()
    }
}

impl Moment {
    pub(super) fn seen_at(&self, now: Time) -> Last {
        let error = self.error.map(|name| name());
        Last { operation: self.site.operation, error, age: now.since(self.at) }
    }
}
