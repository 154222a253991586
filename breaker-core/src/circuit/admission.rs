//! Admission of calls.

use super::kept_rejections::{self, RejectionKey};
use super::state_word::{StateWord, Ticket};
use super::{AdmittedBy, CallSite, CallState, Inner, Progress, nesting};
use crate::clock::{Reading, Time};
use crate::machine::{Decision, Era};
use crate::rejection::{CircuitOpen, RejectionReason};
use crate::state::State;
use crate::sync::Ordering;
use crate::telemetry::Telemetry;

impl Inner {
    /// Admits or rejects a call. If the circuit is closed and its calls record no start time, one comparison admits the
    /// call.
    #[inline]
    pub(crate) fn admit(&self, call_site: &'static CallSite) -> Result<Progress, CircuitOpen> {
        let word = self.state_word();
        if word.is_closed_and_untimed() {
            return Ok(Progress::plain(word.ticket()));
        }
        self.admit_slowly(word, call_site)
    }

    #[cold]
    fn admit_slowly(&self, word: StateWord, call_site: &'static CallSite) -> Result<Progress, CircuitOpen> {
        match self.reject_again(word, call_site) {
            Some(open) => Err(open),
            None => self.admit_or_reject(word, call_site),
        }
    }

    /// Reuses a rejection of this thread for a call that the state word rejects until a time. In a storm of rejections this
    /// succeeds nearly always, so it does nothing else and stays small.
    #[inline(never)]
    fn reject_again(&self, word: StateWord, call_site: &'static CallSite) -> Option<CircuitOpen> {
        let reason = self.reason_until(word, call_site)?;
        let (until, now) = self.read_until(word)?;
        let open = kept_rejections::find_until(self.rejection_key(call_site, reason), until, now)?;
        self.count_rejection(&open);
        Some(open)
    }

    #[inline(never)]
    fn admit_or_reject(&self, word: StateWord, call_site: &'static CallSite) -> Result<Progress, CircuitOpen> {
        let (ticket, by) = if word.is_closed() {
            (word.ticket(), AdmittedBy::ClosedCircuit)
        } else {
            if let Some(open) = self.reject_by_word(word, call_site) {
                return Err(open);
            }
            let (era, by) = self.admit_by_machine(call_site)?;
            (Ticket::new(era, word.is_timed()), by)
        };
        let started = if word.is_timed() { self.now() } else { Time::ORIGIN };
        Ok(Progress::new(ticket, CallState::admitted(by, started)))
    }

    /// Rejects the call from the state word alone, so that a storm of rejections does not contend for the lock.
    fn reject_by_word(&self, word: StateWord, call_site: &'static CallSite) -> Option<CircuitOpen> {
        if word.is_held() {
            return Some(self.reject(call_site, RejectionReason::HeldOpen));
        }
        if let Some(reason) = self.reason_until(word, call_site) {
            let (until, now) = self.read_until(word)?;
            if let Some(open) = self.reject_until(call_site, reason, until, now) {
                return Some(open);
            }
        }
        let may_be_probe = call_site.may_probe || (word.is_half_open() && nesting::is_inside(self.identity()));
        let is_over = word.is_open() || word.is_half_open();
        (is_over && !may_be_probe).then(|| self.reject(call_site, RejectionReason::NotAProbe))
    }

    /// The reason for which the state word rejects a call until a time. `None` if it does not.
    #[inline]
    fn reason_until(&self, word: StateWord, call_site: &CallSite) -> Option<RejectionReason> {
        if word.is_open() {
            Some(RejectionReason::InCooldown)
        } else if word.is_full() && call_site.may_probe && !nesting::is_inside(self.identity()) {
            // A call inside a probe uses the probe's permit.
            Some(RejectionReason::ProbeInFlight)
        } else {
            None
        }
    }

    /// Reads the time until which the state word rejects, and the clock. `None` if the word has changed.
    #[inline]
    fn read_until(&self, word: StateWord) -> Option<(Time, Reading)> {
        let until = Time::from_nanos(self.rejects_until.load(Ordering::Acquire));
        let now = self.context.time.read();
        // The time may belong to a later word: see `StateWord`. The clock is read between the two reads of the word, so at
        // some moment the circuit was in this state and the time was `now`.
        (self.state_word() == word).then_some((until, now))
    }

    /// Lets the machine decide about the call under the lock, because the word may be stale and only one call may take a
    /// probe's slot.
    fn admit_by_machine(&self, call_site: &'static CallSite) -> Result<(Era, AdmittedBy), CircuitOpen> {
        let reading = self.context.time.read();
        let now = reading.time();
        let mut locked = self.lock();
        // A call inside a probe uses the probe's permit. Otherwise the probe would reject its own inner calls.
        if let Some(era) = nesting::outer_era(self.identity(), |era| locked.machine.is_probing(era)) {
            return Ok((era, AdmittedBy::OuterProbe));
        }
        let (decision, transition) = locked.machine.enter(self.config.settings(), call_site.may_probe, now);
        self.publish(&locked.machine, now);
        let by = match locked.machine.state(now) {
            // The circuit closed between the read of the word and the lock.
            State::Closed => AdmittedBy::ClosedCircuit,
            State::Open | State::HalfOpen => AdmittedBy::OwnProbe,
        };
        self.unlock_and_publish(locked, transition.into(), call_site.operation, now);
        let (reason, until) = match decision {
            Decision::Admitted(era) => return Ok((era, by)),
            Decision::Rejected { reason, until } => (reason, until),
        };
        let open = until.and_then(|until| self.reject_until(call_site, reason, until, reading));
        Err(open.unwrap_or_else(|| self.reject(call_site, reason)))
    }

    fn reject(&self, call_site: &'static CallSite, reason: RejectionReason) -> CircuitOpen {
        let open = kept_rejections::reject(self.rejection_key(call_site, reason));
        self.count_rejection(&open);
        open
    }

    /// Rejects the call, provided that `until` is not over.
    fn reject_until(
        &self,
        call_site: &'static CallSite,
        reason: RejectionReason,
        until: Time,
        now: Reading,
    ) -> Option<CircuitOpen> {
        let open = kept_rejections::reject_until(self.rejection_key(call_site, reason), until, now)?;
        self.count_rejection(&open);
        Some(open)
    }

    #[inline]
    fn rejection_key(&self, call_site: &'static CallSite, reason: RejectionReason) -> RejectionKey<'_> {
        RejectionKey { connection: &self.connection, call_site, reason, clock: self.context.time.number() }
    }

    #[inline]
    fn count_rejection(&self, open: &CircuitOpen) {
        self.add_rejection(open.reason());
        Telemetry::log_rejection(open);
    }
}
