//! The state machine of one circuit: pure, without clock, lock or I/O.
//!
//! Whoever drives it brings the time and keeps others out. Every change of state, and every grant of a probe, takes the
//! next number of one counter: the *era*. A permit remembers its era, and a result is heard only if its era is still
//! the current one, or that of a probe which still holds its slot.

mod cooldown;
mod failure_rate;
mod fleet;
mod phase;
mod probes;
mod streak;

use crate::clock::Time;
use crate::config::{Answers, Settings};
use crate::event::Reason;
use crate::evidence::Evidence;
use crate::fleet::Change;
use crate::rejection::RejectionReason;
use crate::state::State;

pub(crate) use fleet::Dispatch;
#[cfg(feature = "testing")]
use fleet::Leave;
use fleet::Seat;
use phase::{Phase, Reopened};
use probes::{Probes, SlotGrant};
use streak::Failures;

/// A number that no other state, nor another probe, of the same circuit ever has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Era(pub(crate) u64);

#[derive(Debug)]
pub(crate) struct Machine {
    seat: Seat,
    era: Era,
}

/// A change that is worth an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    pub(crate) from: State,
    pub(crate) to: State,
    pub(crate) reason: Reason,
}

/// What a call gets that asks to be let in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Admitted(Era),
    Rejected {
        reason: RejectionReason,
        /// Until when it is of no use to ask again; `None` where no time helps.
        until: Option<Time>,
    },
}

/// What became of a result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// It was of an older era and changed nothing.
    Stale,
    /// It counted.
    Recorded {
        /// Failures that this answer cleared from the streak.
        cleared: u32,
        transition: Option<Transition>,
    },
}

/// What lock-free readers need to know of the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Published {
    /// Closed, and a success would change nothing.
    Idle,
    /// Closed, and a success has something to clear or to count.
    Counting,
    Open {
        until: Time,
        held: bool,
    },
    HalfOpen,
}

impl Machine {
    pub(crate) fn new(settings: &Settings, is_shared: bool) -> Self {
        Self { seat: Seat::new(Phase::closed(settings), is_shared), era: Era(0) }
    }

    /// A call asks to be let in; `may_probe` is false for an operation that must not be the probe.
    pub(crate) fn enter(&mut self, settings: &Settings, may_probe: bool, now: Time) -> (Decision, Option<Transition>) {
        let rejected = |reason, until| (Decision::Rejected { reason, until }, None);
        let leave_until = match self.leave_to_probe(settings, may_probe, now) {
            Ok(until) => until,
            Err(until) => return rejected(RejectionReason::ProbeInFlight, Some(until)),
        };
        let next = self.era.next();
        match self.seat.phase_mut() {
            Phase::Closed { .. } => (Decision::Admitted(self.era), None),
            Phase::Held { .. } => rejected(RejectionReason::HeldOpen, None),
            Phase::Open { until, .. } if now < *until => rejected(RejectionReason::InCooldown, Some(*until)),
            Phase::Open { .. } | Phase::HalfOpen { .. } if !may_probe => rejected(RejectionReason::NotAProbe, None),
            Phase::Open { .. } => {
                let era = self.next_era();
                let mut probes = Box::<Probes>::default();
                let _ = probes.take(settings, era, now, leave_until);
                let transition = self.turn_half_open(probes);
                (Decision::Admitted(era), Some(transition))
            }
            Phase::HalfOpen { probes, .. } => match probes.take(settings, next, now, leave_until) {
                SlotGrant::Full { until } => rejected(RejectionReason::ProbeInFlight, Some(until)),
                SlotGrant::Free => {
                    self.era = next;
                    (Decision::Admitted(next), None)
                }
                SlotGrant::FromExpired => {
                    self.era = next;
                    let (from, to) = (State::HalfOpen, State::HalfOpen);
                    (Decision::Admitted(next), Some(Transition { from, to, reason: Reason::LeaseExpired }))
                }
            },
        }
    }

    /// A call that was let in in `era` is over. `marked`: the answer is an error that proves reachability. `name` is that
    /// of the connection.
    pub(crate) fn record(
        &mut self,
        settings: &Settings,
        name: &str,
        era: Era,
        evidence: Evidence,
        marked: bool,
        now: Time,
    ) -> Settlement {
        match self.seat.phase() {
            Phase::Closed { .. } if era == self.era => self.record_closed(settings, name, evidence, marked, now),
            Phase::HalfOpen { probes, .. } if probes.holds(era) => {
                self.record_probe(settings, name, era, evidence, now)
            }
            Phase::Closed { .. } | Phase::HalfOpen { .. } | Phase::Open { .. } | Phase::Held { .. } => {
                Settlement::Stale
            }
        }
    }

    fn record_closed(
        &mut self,
        settings: &Settings,
        name: &str,
        evidence: Evidence,
        marked: bool,
        now: Time,
    ) -> Settlement {
        let Phase::Closed { streak, windows } = self.seat.phase_mut() else { return Settlement::Stale };
        let mut failures = Failures { streak, windows };
        let mut cleared = 0;
        let mut is_answer = false;
        let mut opens = None;
        match evidence {
            Evidence::Unknown => {}
            Evidence::Answered => {
                if !(marked && settings.answers == Answers::KeepStreak) {
                    cleared = failures.clear(settings, now);
                    is_answer = true;
                }
            }
            Evidence::Failed => {
                if failures.add(settings, now) >= settings.failure_threshold {
                    opens = Some(Reason::Threshold);
                }
            }
        }
        if evidence != Evidence::Unknown && failures.rate(settings, evidence == Evidence::Failed, now) {
            opens = opens.or(Some(Reason::Rate));
        }
        let transition = opens.map(|reason| self.open(settings, name, self.seat.phase().reopened(), now, reason));
        if is_answer {
            self.share_answer();
        } else if evidence == Evidence::Failed && self.seat.is_shared() {
            self.share_failure(settings, name, now);
        }
        Settlement::Recorded { cleared, transition }
    }

    fn record_probe(&mut self, settings: &Settings, name: &str, era: Era, evidence: Evidence, now: Time) -> Settlement {
        let Phase::HalfOpen { probes, .. } = self.seat.phase_mut() else { return Settlement::Stale };
        probes.release(era);
        if matches!(self.seat.sharing(), Some(sharing) if sharing.has_lapsed(now)) {
            // Another process may probe by now, and then this is of an older era.
            return Settlement::Stale;
        }
        let Phase::HalfOpen { probes, .. } = self.seat.phase_mut() else { return Settlement::Stale };
        let is_last = probes.is_free();
        let transition = match evidence {
            Evidence::Answered => probes.succeed(settings).then(|| self.close(settings, Reason::ProbeSucceeded)),
            Evidence::Failed => Some(self.reopen(settings, name, now, Reason::ProbeFailed)),
            Evidence::Unknown => {
                probes.say_nothing(settings).then(|| self.reopen(settings, name, now, Reason::Inconclusive))
            }
        };
        let is_given_back = is_last && evidence == Evidence::Unknown;
        self.share_conclusion(transition.map(|transition| transition.to), is_given_back, now);
        Settlement::Recorded { cleared: 0, transition }
    }

    /// Opens the circuit for one cooldown. A circuit that is held open stays so.
    pub(crate) fn trip(&mut self, settings: &Settings, name: &str, now: Time) -> Option<Transition> {
        if self.is_held() {
            return None;
        }
        let transition = self.force(now, |machine| machine.open(settings, name, 0, now, Reason::Tripped));
        let cooldown = self.cooldown_left(now);
        self.share_command(Change::Tripped { cooldown });
        transition
    }

    /// Opens the circuit until it is reset.
    pub(crate) fn hold_open(&mut self, now: Time) -> Option<Transition> {
        let transition = self.force(now, |machine| {
            machine.next_era();
            machine.turn(Phase::Held { reopened: machine.seat.phase().reopened() }, Reason::Held)
        });
        self.share_command(Change::HeldOpen);
        transition
    }

    /// Makes the circuit half-open at once, with all its probes still to come.
    #[cfg(feature = "testing")]
    pub(crate) fn end_cooldown(&mut self, now: Time) -> Option<Transition> {
        let transition = self.force(now, |machine| {
            machine.next_era();
            machine.turn_half_open(Box::default())
        });
        self.leave(Leave::Alone);
        transition
    }

    /// Closes the circuit and forgets every failure.
    pub(crate) fn reset(&mut self, settings: &Settings, now: Time) -> Option<Transition> {
        let transition = self.forget(settings, now);
        self.share_command(Change::Reset);
        transition
    }

    /// As [`reset`](Self::reset), and a fleet hears nothing of it.
    pub(crate) fn forget(&mut self, settings: &Settings, now: Time) -> Option<Transition> {
        self.force(now, |machine| machine.close(settings, Reason::Reset))
    }

    /// A change from outside starts at the state that a reader saw, and is an event only if it led to another.
    fn force(&mut self, now: Time, change: impl FnOnce(&mut Self) -> Transition) -> Option<Transition> {
        let from = self.state(now);
        let transition = Transition { from, ..change(self) };
        (transition.from != transition.to).then_some(transition)
    }

    /// Whether the permit of this era is that of a probe which still holds its slot.
    pub(crate) fn is_probing(&self, era: Era) -> bool {
        matches!(self.seat.phase(), Phase::HalfOpen { probes, .. } if probes.holds(era))
    }

    /// Whether a probe is under way and within its lease.
    pub(crate) fn is_under_probe(&self, now: Time) -> bool {
        matches!(self.seat.phase(), Phase::HalfOpen { probes, .. } if probes.any_within_lease(now))
    }

    /// The state as a reader sees it: half-open as soon as the cooldown is over.
    pub(crate) fn state(&self, now: Time) -> State {
        match self.seat.phase() {
            Phase::Closed { .. } => State::Closed,
            Phase::Held { .. } => State::Open,
            Phase::Open { until, .. } if now < *until => State::Open,
            Phase::Open { .. } | Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    /// Until when the circuit is in its cooldown, if it is.
    pub(crate) fn cooldown_until(&self, now: Time) -> Option<Time> {
        match self.seat.phase() {
            Phase::Open { until, .. } if now < *until => Some(*until),
            _ => None,
        }
    }

    /// Whether the circuit is open until it is reset.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self.seat.phase(), Phase::Held { .. })
    }

    /// The failures that count at this moment towards the threshold.
    pub(crate) fn streak(&self, settings: &Settings, now: Time) -> u32 {
        match self.seat.phase() {
            Phase::Closed { streak, windows } => streak::count(*streak, windows.as_deref(), settings, now),
            Phase::Open { .. } | Phase::Held { .. } | Phase::HalfOpen { .. } => 0,
        }
    }

    pub(crate) fn era(&self) -> Era {
        self.era
    }

    pub(crate) fn published(&self) -> Published {
        match self.seat.phase().published() {
            Published::Idle if self.is_dirty() => Published::Counting,
            published => published,
        }
    }

    fn reopen(&mut self, settings: &Settings, name: &str, now: Time, reason: Reason) -> Transition {
        self.open(settings, name, self.seat.phase().reopened().saturating_add(1), now, reason)
    }

    fn open(&mut self, settings: &Settings, name: &str, reopened: Reopened, now: Time, reason: Reason) -> Transition {
        let era = self.next_era();
        let until = now.after(cooldown::length(settings, reopened, name, era));
        self.turn(Phase::Open { until, reopened }, reason)
    }

    fn turn_half_open(&mut self, probes: Box<Probes>) -> Transition {
        self.turn(Phase::HalfOpen { probes, reopened: self.seat.phase().reopened() }, Reason::CooldownOver)
    }

    fn close(&mut self, settings: &Settings, reason: Reason) -> Transition {
        self.next_era();
        self.turn(Phase::closed(settings), reason)
    }

    fn turn(&mut self, phase: Phase, reason: Reason) -> Transition {
        let from = self.seat.phase().state();
        let to = phase.state();
        *self.seat.phase_mut() = phase;
        Transition { from, to, reason }
    }

    fn next_era(&mut self) -> Era {
        self.era = self.era.next();
        self.era
    }
}

impl Settlement {
    pub(crate) fn transition(&self) -> Option<Transition> {
        match self {
            Self::Recorded { transition, .. } => *transition,
            Self::Stale => None,
        }
    }
}

impl Era {
    fn next(self) -> Self {
        // At a billion changes a second this takes a lifetime to run out of the 60 bits that are published.
        Self(self.0 + 1)
    }
}
