//! Who is let in.

use super::state_word::{StateWord, Ticket};
use super::{AdmittedBy, CallSite, CallState, Inner, nesting};
use crate::clock::Time;
use crate::machine::{Decision, Era};
use crate::rejection::{CircuitOpen, Rejection, RejectionReason};
use crate::state::State;
use crate::sync::Ordering;

/// The right to make a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub(crate) ticket: Ticket,
    pub(crate) stage: CallState,
}

impl Inner {
    /// Lets a call in, or rejects it.
    #[inline]
    pub(crate) fn admit(&self, site: &'static CallSite) -> Result<Admission, CircuitOpen> {
        let word = self.word();
        if word.is_closed_and_untimed() {
            return Ok(Admission { ticket: word.ticket(), stage: CallState::COMMON });
        }
        self.admit_slowly(word, site)
    }

    #[cold]
    fn admit_slowly(&self, word: StateWord, site: &'static CallSite) -> Result<Admission, CircuitOpen> {
        let (ticket, by) = if word.is_closed() {
            (word.ticket(), AdmittedBy::ClosedCircuit)
        } else {
            let (era, by) = self.admit_unless_open(word, site)?;
            (Ticket::new(era, word.is_timed()), by)
        };
        let started = if word.is_timed() { self.now() } else { Time::ORIGIN };
        Ok(Admission { ticket, stage: CallState::admitted(by, started) })
    }

    fn admit_unless_open(&self, word: StateWord, site: &'static CallSite) -> Result<(Era, AdmittedBy), CircuitOpen> {
        if word.is_held() {
            return Err(self.reject(site, RejectionReason::HeldOpen, None, Time::ORIGIN));
        }
        let now = self.now();
        if word.is_open() {
            let until = Time::from_nanos(self.open_until.load(Ordering::Acquire));
            if now < until {
                return Err(self.reject(site, RejectionReason::InCooldown, Some(until), now));
            }
        }
        let mut guarded = self.lock();
        if let Some(era) = nesting::outer_era(self.identity(), |era| guarded.machine.is_probing(era)) {
            return Ok((era, AdmittedBy::OuterProbe));
        }
        let (entry, transition) = guarded.machine.enter(self.config.settings(), site.may_probe, now);
        self.publish(&guarded.machine, now);
        let by = match guarded.machine.state(now) {
            // It closed since the word was read.
            State::Closed => AdmittedBy::ClosedCircuit,
            State::Open | State::HalfOpen => AdmittedBy::OwnProbe,
        };
        self.unlock_and_tell(guarded, transition, site.operation, now);
        match entry {
            Decision::Admitted(era) => Ok((era, by)),
            Decision::Rejected { reason, until } => Err(self.reject(site, reason, until, now)),
        }
    }

    fn reject(&self, site: &CallSite, reason: RejectionReason, until: Option<Time>, now: Time) -> CircuitOpen {
        self.flags.add_rejection();
        let open = CircuitOpen::new(Rejection {
            connection: self.connection.clone(),
            operation: site.operation,
            reason,
            retry_after: until.map(|until| until.since(now)),
        });
        self.telemetry.rejection(&open);
        open
    }
}
