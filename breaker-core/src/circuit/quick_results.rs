//! Results that are only counted, because they change no state and concern no other call.
//!
//! A 404 is the commonest error of a healthy remote system, a failure that is not the last one before the threshold comes
//! before every opening, and an open circuit rejects most when the program is busiest. So these take the shortest way.

use super::counters::LastResult;
use super::state_word::Ticket;
use super::stripes::StripedCounts;
use super::{CallSite, Inner, nesting};
use crate::evidence::{Evidence, Judgement};
use crate::machine::Settlement;
use crate::rejection::RejectionReason;
use crate::sync::{Ordering, lock, try_lock};

/// What is counted here, as the machine would settle it.
const COUNTED: Settlement = Settlement::Recorded { cleared: 0, transition: None };

impl Inner {
    /// Counts the result of a call without inner calls, provided that it needs no more than that. Returns `false` if the
    /// caller must [`record`](Self::record) it, and report it to the outer calls.
    pub(crate) fn count(&self, ticket: Ticket, judgement: Judgement, call_site: &'static CallSite) -> bool {
        if nesting::is_within_call() {
            return self.count_inner_success(ticket, judgement);
        }
        match judgement.evidence() {
            Evidence::Answered if judgement.is_marked() => self.count_answer(ticket, judgement, call_site),
            Evidence::Answered => self.record_plain_success(ticket),
            Evidence::Failed if !judgement.is_dropped() => self.count_failure(ticket, judgement, call_site),
            Evidence::Failed | Evidence::Unknown => false,
        }
    }

    /// Reports a plain success to the outer calls, provided that it has no other effect.
    fn count_inner_success(&self, ticket: Ticket, judgement: Judgement) -> bool {
        let is_counted = judgement.is_plain_success() && self.record_plain_success(ticket);
        if is_counted {
            nesting::report(self.identity(), Evidence::Answered);
        }
        is_counted
    }

    /// Counts a failure under the lock, if the circuit stays closed and counts consecutive failures only.
    #[inline]
    fn count_failure(&self, ticket: Ticket, judgement: Judgement, call_site: &'static CallSite) -> bool {
        let result = LastResult::new(judgement, call_site, self.context.time.read());
        let mut locked = lock(&self.locked);
        if !locked.machine.count_failure(self.settings(), ticket.era()) {
            return false;
        }
        locked.counters.get_or_insert_default().add_failure(result);
        self.telemetry.result(judgement, &COUNTED);
        self.state_word.store(ticket.counting().0, Ordering::Release);
        true
    }

    /// Counts a marked answer if the circuit is idle, so that the answer has nothing to clear.
    ///
    /// The word is read before the answer is counted, so a failure that another thread records at the same moment counts as
    /// the later of the two.
    #[inline]
    fn count_answer(&self, ticket: Ticket, judgement: Judgement, call_site: &'static CallSite) -> bool {
        if self.idle_ticket() != ticket {
            return false;
        }
        let result = LastResult::new(judgement, call_site, self.context.time.read());
        // The lock of a circuit that counts in stripes is left alone, because taking it writes it.
        let locked = if self.flags.is_striped() { None } else { try_lock(&self.locked) };
        match locked {
            Some(mut locked) => locked.counters.get_or_insert_default().add_answer(1, result),
            None => self.count_in_stripe(|counts| {
                counts.answers += 1;
                counts.last_answer = Some(result);
            }),
        }
        self.telemetry.result(judgement, &COUNTED);
        true
    }

    #[inline]
    pub(super) fn add_rejection(&self, reason: RejectionReason) {
        if self.flags.add_rejection() {
            self.telemetry.rejection(reason);
        } else {
            self.count_in_stripe(|counts| counts.add_rejection(reason));
        }
    }

    #[cold]
    fn count_in_stripe(&self, count: impl FnOnce(&mut StripedCounts)) {
        if !self.flags.is_striped() {
            self.flags.mark_striped();
        }
        self.context.stripes.count(self.identity(), count);
    }

    /// What the circuit has counted in stripes.
    pub(super) fn striped_counts(&self) -> StripedCounts {
        if self.flags.is_striped() { self.context.stripes.counts(self.identity()) } else { StripedCounts::default() }
    }
}
