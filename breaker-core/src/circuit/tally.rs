//! What a circuit remembers of its past, for those who look at it.

use crate::clock::Time;
use crate::evidence::Evidence;
use crate::machine::Verdict;
use crate::report::Report;
use crate::snapshot::Last;
use crate::state::State;

/// Counts of what is no plain success; those would cost a shared write on the happy path.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) opened: u64,
    pub(super) answers: u64,
    pub(super) failed: u64,
    pub(super) unknown: u64,
    pub(super) dropped: u64,
    pub(super) stale: u64,
    pub(super) cleared: u64,
    pub(super) last_failure: Option<Moment>,
    pub(super) last_answer: Option<Moment>,
}

/// A result worth remembering. Never its message, which may hold secrets.
#[derive(Debug)]
pub(super) struct Moment {
    operation: Option<&'static str>,
    error: Option<&'static str>,
    at: Time,
}

impl Tally {
    pub(super) fn add(&mut self, report: &Report, verdict: &Verdict, operation: Option<&'static str>, now: Time) {
        let Verdict::Heard { cleared, transition } = verdict else {
            self.stale += 1;
            return;
        };
        let moment = || Some(Moment { operation, error: report.error, at: now });
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
            Evidence::Unknown => self.unknown += 1,
        }
        self.dropped += u64::from(report.dropped);
        if let Some(transition) = transition {
            self.opened += u64::from(transition.to == State::Open);
        }
    }
}

impl Moment {
    pub(super) fn seen_at(&self, now: Time) -> Last {
        Last { operation: self.operation, error: self.error, age: now.since(self.at) }
    }
}
