//! Admission of calls.

use super::state_word::{StateWord, Ticket};
use super::{AdmittedBy, CallSite, CallState, Inner, nesting};
use crate::clock::Time;
use crate::machine::{Decision, Era};
use crate::rejection::{CircuitOpen, Rejection, RejectionReason};
use crate::state::State;
use crate::sync::Ordering;

/// An admitted call: its ticket and its initial state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub(crate) ticket: Ticket,
    pub(crate) state: CallState,
}

impl Inner {
    /// Admits or rejects a call. If the circuit is closed and its calls record no start time, one comparison admits the
    /// call.
    #[inline]
    pub(crate) fn admit(&self, call_site: &'static CallSite) -> Result<Admission, CircuitOpen> {
        let word = self.state_word();
        if word.is_closed_and_untimed() {
            return Ok(Admission { ticket: word.ticket(), state: CallState::PLAIN });
        }
        self.admit_slowly(word, call_site)
    }

    #[cold]
    fn admit_slowly(&self, word: StateWord, call_site: &'static CallSite) -> Result<Admission, CircuitOpen> {
        let (ticket, by) = if word.is_closed() {
            (word.ticket(), AdmittedBy::ClosedCircuit)
        } else {
            let (era, by) = self.admit_unless_open(word, call_site)?;
            (Ticket::new(era, word.is_timed()), by)
        };
        let started = if word.is_timed() { self.now() } else { Time::ORIGIN };
        Ok(Admission { ticket, state: CallState::admitted(by, started) })
    }

    /// Rejects the call from the state word alone while the circuit is held open or in its cooldown, so that these
    /// rejections do not contend for the lock. Otherwise the machine decides under the lock, because the word may be
    /// stale and only one call may take a probe's slot.
    fn admit_unless_open(
        &self,
        word: StateWord,
        call_site: &'static CallSite,
    ) -> Result<(Era, AdmittedBy), CircuitOpen> {
        if word.is_held() {
            return Err(self.reject(call_site, RejectionReason::HeldOpen, None, Time::ORIGIN));
        }
        let now = self.now();
        if word.is_open() {
            let until = Time::from_nanos(self.open_until.load(Ordering::Acquire));
            if now < until {
                return Err(self.reject(call_site, RejectionReason::InCooldown, Some(until), now));
            }
        }
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
        match decision {
            Decision::Admitted(era) => Ok((era, by)),
            Decision::Rejected { reason, until } => Err(self.reject(call_site, reason, until, now)),
        }
    }

    fn reject(&self, call_site: &CallSite, reason: RejectionReason, until: Option<Time>, now: Time) -> CircuitOpen {
        self.flags.add_rejection();
        let open = CircuitOpen::new(Rejection {
            connection: self.connection.clone(),
            operation: call_site.operation,
            reason,
            until,
            rejected_at: now,
            clock: self.context.time.number(),
        });
        self.telemetry.rejection(&open);
        open
    }
}
