//! The state machine of one circuit: pure, without clock, lock or I/O.
//!
//! The caller passes the time and holds the lock. Every change of state, and every admitted probe, takes the next
//! number of one counter: the *era*. A permit remembers its era. A result counts only if its era is still the current
//! one, or that of a probe which still holds its slot.

mod cooldown;
mod failure_rate;
mod fleet;
mod history;
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

pub(crate) use cooldown::{Jitter, JitterSeed};
pub(crate) use fleet::HasFleet;
use fleet::Membership;
pub(crate) use fleet::PendingReport;
#[cfg(feature = "testing")]
use fleet::ProbeGrant;
use phase::{Phase, Reopened};
use probes::{Probes, SlotGrant};
use streak::Failures;
pub(crate) use streak::Nesting;

/// A number that no other state and no other probe of the same circuit has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Era(pub(crate) u64);

/// The number of a running call that has inner calls with an effect on the streak. No two such calls of a circuit that run at
/// the same time have the same one, unless 65,534 others began in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallNumber(pub(crate) u16);

#[derive(Debug)]
pub(crate) struct Machine {
    membership: Membership,
    era: Era,
}

/// A change of state that causes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    pub(crate) from: State,
    pub(crate) to: State,
    pub(crate) reason: Reason,
}

/// The changes of state that one input causes, in order.
///
/// There are two if a command or an update of the fleet finds the cooldown over and no event has said so: the end of the
/// cooldown, and the change itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transitions([Option<Transition>; 2]);

/// The decision about a call that asks for admission.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Admitted(Era),
    Rejected {
        reason: RejectionReason,
        /// The end of the cooldown, while the circuit is in one.
        until: Option<Time>,
    },
}

/// The end of a call that was admitted in `era`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallEnd {
    pub(crate) era: Era,
    pub(crate) evidence: Evidence,
    /// Whether it ended with an error that proves an answer.
    pub(crate) is_marked: bool,
    pub(crate) nesting: Nesting,
    /// Whether an inner call has recorded a failure.
    pub(crate) inner_failed: bool,
}

/// The effect of a result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// The result belonged to an older era and was ignored.
    Stale,
    /// The result counted.
    Recorded {
        /// The failures that this answer cleared from the streak.
        cleared: u32,
        transition: Option<Transition>,
    },
    /// An inner call has recorded the failure. The circuit may open nevertheless, because the answers of other inner
    /// calls were withdrawn.
    CountedAlready { transition: Option<Transition> },
}

/// The part of the phase that lock-free readers need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Published {
    /// Closed, and a success has no effect.
    Idle,
    /// Closed, and a success has an effect: it clears a streak, or counts towards a rate.
    Counting,
    Open {
        until: Time,
        held: bool,
    },
    HalfOpen {
        /// While all slots are taken: the earliest end of a lease. Until then, no call gets a slot unless a probe ends.
        full_until: Option<Time>,
    },
}

impl Machine {
    pub(crate) fn new(settings: &Settings, fleet: HasFleet) -> Self {
        Self { membership: Membership::new(Phase::closed(settings), fleet), era: Era(0) }
    }

    /// Decides about a call that asks for admission. `may_probe` is false for an operation that must not be a probe.
    pub(crate) fn enter(&mut self, settings: &Settings, may_probe: bool, now: Time) -> (Decision, Option<Transition>) {
        let rejected = |reason, until| (Decision::Rejected { reason, until }, None);
        let Some(grant_until) = self.request_probe(settings, may_probe, now) else {
            return rejected(RejectionReason::ProbeInFlight, None);
        };
        let next = self.era.next();
        match self.membership.phase_mut() {
            Phase::Closed { .. } => (Decision::Admitted(self.era), None),
            Phase::Held { .. } => rejected(RejectionReason::HeldOpen, None),
            Phase::Open { until, .. } if now < *until => rejected(RejectionReason::InCooldown, Some(*until)),
            Phase::Open { .. } | Phase::HalfOpen { .. } if !may_probe => rejected(RejectionReason::NotAProbe, None),
            Phase::Open { .. } => {
                let era = self.next_era();
                let mut probes = Box::<Probes>::default();
                let _ = probes.take_slot(settings, era, now, grant_until);
                (Decision::Admitted(era), self.become_half_open(probes))
            }
            Phase::HalfOpen { probes, .. } => match probes.take_slot(settings, next, now, grant_until) {
                SlotGrant::Full => rejected(RejectionReason::ProbeInFlight, None),
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

    /// Counts a failure, if it has no effect but to lengthen the streak: the circuit is in this era and stays closed, it has
    /// no window and is not in a fleet. Otherwise nothing changes, and the caller must [`record`](Self::record) the failure.
    #[inline]
    pub(crate) fn count_failure(&mut self, settings: &Settings, era: Era) -> bool {
        let current = self.era;
        let Some(streak) = self.membership.streak_alone() else { return false };
        let longer = streak.saturating_add(1);
        let is_counted = era == current && longer < settings.failure_threshold;
        if is_counted {
            *streak = longer;
        }
        is_counted
    }

    /// Records the result of a call.
    #[inline]
    pub(crate) fn record(&mut self, settings: &Settings, jitter: Jitter<'_>, call: CallEnd, now: Time) -> Settlement {
        let era = call.era;
        match self.membership.phase() {
            Phase::Closed { .. } if era == self.era => self.record_closed(settings, jitter, call, now),
            Phase::HalfOpen { probes, .. } if probes.holds(era) => {
                self.record_probe(settings, jitter, era, call.evidence, now)
            }
            // Mostly, the failure of the inner call began the new era.
            _ if call.inner_failed => Settlement::CountedAlready { transition: None },
            Phase::Closed { .. } | Phase::HalfOpen { .. } | Phase::Open { .. } | Phase::Held { .. } => {
                Settlement::Stale
            }
        }
    }

    /// Ends an outer call that did not fail by itself and whose inner calls have reported.
    pub(crate) fn end_outer_call(&mut self, settings: &Settings, era: Era, nesting: Nesting) {
        let is_current = era == self.era;
        if let Phase::Closed { streak, windows, .. } = self.membership.phase_mut() {
            if is_current {
                Failures { streak, windows }.end(settings, nesting);
            }
        }
    }

    /// Whether the end of this running call may have an effect through its inner calls.
    pub(crate) fn remembers(&self, call: CallNumber) -> bool {
        matches!(self.membership.phase(), Phase::Closed { windows: Some(windows), .. } if windows.remembers(call))
    }

    #[inline]
    fn record_closed(&mut self, settings: &Settings, jitter: Jitter<'_>, call: CallEnd, now: Time) -> Settlement {
        let CallEnd { evidence, is_marked, nesting, .. } = call;
        let Phase::Closed { streak, windows, .. } = self.membership.phase_mut() else { return Settlement::Stale };
        let mut failures = Failures { streak, windows };
        let mut cleared = 0;
        let mut is_answer = false;
        let mut opens = None;
        let mut is_counted_already = false;
        match evidence {
            Evidence::Unknown => {}
            Evidence::Answered => {
                if !(is_marked && settings.answers == Answers::KeepStreak) {
                    cleared = failures.clear(settings, nesting.outer, now);
                    is_answer = true;
                }
            }
            Evidence::Failed => {
                is_counted_already = !failures.add(settings, nesting, now);
                if *failures.streak >= settings.failure_threshold {
                    opens = Some(Reason::Threshold);
                }
            }
        }
        let is_failure = evidence == Evidence::Failed && !is_counted_already;
        if (is_failure || evidence == Evidence::Answered) && failures.rate(settings, is_failure, now) {
            opens = opens.or(Some(Reason::Rate));
        }
        let transition =
            opens.map(|reason| self.open(settings, jitter, self.membership.phase().reopened(), now, reason));
        if is_answer {
            self.report_answer();
        } else if (is_failure || transition.is_some()) && self.membership.is_member() {
            self.report_failure(settings, jitter, now);
        }
        if is_counted_already {
            return Settlement::CountedAlready { transition };
        }
        Settlement::Recorded { cleared, transition }
    }

    fn record_probe(
        &mut self,
        settings: &Settings,
        jitter: Jitter<'_>,
        era: Era,
        evidence: Evidence,
        now: Time,
    ) -> Settlement {
        let Phase::HalfOpen { probes, .. } = self.membership.phase_mut() else { return Settlement::Stale };
        probes.release(era);
        if matches!(self.membership.participation(), Some(participation) if participation.grant_has_expired(now)) {
            // The lease of the grant is over, so another process may be probing, and this result belongs to an older
            // era.
            return Settlement::Stale;
        }
        let Phase::HalfOpen { probes, .. } = self.membership.phase_mut() else { return Settlement::Stale };
        let is_last = probes.is_free();
        let transition = match evidence {
            Evidence::Answered => probes.record_success(settings).then(|| self.close_after_probe(settings)),
            Evidence::Failed => Some(self.reopen(settings, jitter, now, Reason::ProbeFailed)),
            Evidence::Unknown => {
                probes.record_inconclusive(settings).then(|| self.reopen(settings, jitter, now, Reason::Inconclusive))
            }
        };
        let is_returned = is_last && evidence == Evidence::Unknown;
        self.report_conclusion(transition.map(|transition| transition.to), is_returned, now);
        Settlement::Recorded { cleared: 0, transition }
    }

    /// Opens the circuit for one cooldown. A circuit that is held open stays held.
    pub(crate) fn trip(&mut self, settings: &Settings, jitter: Jitter<'_>, now: Time) -> Transitions {
        if self.is_held() {
            return Transitions::default();
        }
        let transitions = self.apply_from_outside(now, |machine| {
            machine.open(settings, jitter, 0, now, Reason::Tripped);
            Reason::Tripped
        });
        let cooldown = self.cooldown_left(now);
        self.report_command(Change::Tripped { cooldown });
        transitions
    }

    /// Opens the circuit until it is reset.
    pub(crate) fn hold_open(&mut self, now: Time) -> Transitions {
        let transitions = self.apply_from_outside(now, |machine| {
            machine.next_era();
            machine.change_phase(Phase::Held { reopened: machine.membership.phase().reopened() }, Reason::Held);
            Reason::Held
        });
        self.report_command(Change::HeldOpen);
        transitions
    }

    /// Makes the circuit half-open at once, with all its probes unused.
    #[cfg(feature = "testing")]
    pub(crate) fn end_cooldown(&mut self, now: Time) -> Transitions {
        let transitions = self.apply_from_outside(now, |machine| {
            machine.next_era();
            machine.become_half_open(Box::default());
            Reason::CooldownOver
        });
        self.set_probe_grant(ProbeGrant::Unavailable);
        transitions
    }

    /// Closes the circuit and clears the streak.
    pub(crate) fn reset(&mut self, settings: &Settings, now: Time) -> Transitions {
        let transitions = self.reset_locally(settings, now);
        self.report_command(Change::Reset);
        transitions
    }

    /// Does the same without a report to the fleet.
    pub(crate) fn reset_locally(&mut self, settings: &Settings, now: Time) -> Transitions {
        self.apply_from_outside(now, |machine| {
            machine.close(settings, Reason::Reset);
            Reason::Reset
        })
    }

    /// Applies a change that does not come from a call: a command, or an update of the fleet. Returns the changes of
    /// state that a reader sees by it. They begin at the state to which the last event led.
    ///
    /// Opening an open circuit again is such a change, because it has a new reason and a new cooldown.
    fn apply_from_outside(&mut self, now: Time, change: impl FnOnce(&mut Self) -> Reason) -> Transitions {
        let (announced, era) = (self.announced(), self.era);
        // A thread reads the clock before it takes the lock, so `now` may be slightly before the announced end.
        let before = if announced == State::HalfOpen { announced } else { self.state(now) };
        let reason = change(self);
        let after = self.state(now);
        let opens_again = after == State::Open && self.era != era;
        if before != after || opens_again {
            self.announce(after);
            let cooldown_over = Transition { from: announced, to: before, reason: Reason::CooldownOver };
            let first = (announced != before).then_some(cooldown_over);
            return Transitions([first, Some(Transition { from: before, to: after, reason })]);
        }
        self.announce(announced);
        // A half-open phase announces itself, so the event of the end of the cooldown is due.
        let to = self.announced();
        (to != announced).then_some(Transition { from: announced, to, reason: Reason::CooldownOver }).into()
    }

    /// The state to which the last event of the circuit led.
    pub(crate) fn announced(&self) -> State {
        self.membership.phase().announced()
    }

    fn announce(&mut self, state: State) {
        if let Phase::Open { is_over_announced, .. } = self.membership.phase_mut() {
            *is_over_announced = state == State::HalfOpen;
        }
    }

    /// Whether the permit of this era belongs to a probe that still holds its slot.
    pub(crate) fn is_probing(&self, era: Era) -> bool {
        matches!(self.membership.phase(), Phase::HalfOpen { probes, .. } if probes.holds(era))
    }

    /// The current era, if the circuit has closed through its probes and has been closed since. `probe` is the era of one of
    /// these probes, whose call goes on.
    pub(crate) fn era_after_probe(&self, probe: Era) -> Option<Era> {
        let Phase::Closed { probe_eras, .. } = self.membership.phase() else { return None };
        (self.era.0 - probe.0 <= u64::from(*probe_eras)).then_some(self.era)
    }

    /// Whether a probe is under way and within its lease.
    pub(crate) fn is_under_probe(&self, now: Time) -> bool {
        matches!(self.membership.phase(), Phase::HalfOpen { probes, .. } if probes.any_within_lease(now))
    }

    /// The state that a reader sees: half-open as soon as the cooldown is over.
    pub(crate) fn state(&self, now: Time) -> State {
        match self.membership.phase() {
            Phase::Closed { .. } => State::Closed,
            Phase::Held { .. } => State::Open,
            Phase::Open { until, .. } if now < *until => State::Open,
            Phase::Open { .. } | Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    /// The end of the cooldown, while the circuit is in one.
    pub(crate) fn cooldown_until(&self, now: Time) -> Option<Time> {
        match self.membership.phase() {
            Phase::Open { until, .. } if now < *until => Some(*until),
            _ => None,
        }
    }

    /// Whether the circuit is held open until it is reset.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self.membership.phase(), Phase::Held { .. })
    }

    /// The failures that currently count towards the threshold.
    pub(crate) fn streak(&self, settings: &Settings, now: Time) -> u32 {
        match self.membership.phase() {
            Phase::Closed { streak, windows, .. } => streak::count(*streak, windows.as_deref(), settings, now),
            Phase::Open { .. } | Phase::Held { .. } | Phase::HalfOpen { .. } => 0,
        }
    }

    pub(crate) fn era(&self) -> Era {
        self.era
    }

    pub(crate) fn published(&self, settings: &Settings) -> Published {
        match self.membership.phase().published(settings) {
            Published::Idle if self.must_report_answer() => Published::Counting,
            // In a fleet, a call that asks for a slot has an effect even if it is rejected: it requests or claims a grant.
            Published::HalfOpen { .. } if self.membership.is_member() => Published::HalfOpen { full_until: None },
            published => published,
        }
    }

    fn reopen(&mut self, settings: &Settings, jitter: Jitter<'_>, now: Time, reason: Reason) -> Transition {
        self.open(settings, jitter, self.membership.phase().reopened().saturating_add(1), now, reason)
    }

    fn open(
        &mut self,
        settings: &Settings,
        jitter: Jitter<'_>,
        reopened: Reopened,
        now: Time,
        reason: Reason,
    ) -> Transition {
        let era = self.next_era();
        let until = now.after(cooldown::length(settings, reopened, jitter, era));
        self.change_phase(Phase::open(until, reopened), reason)
    }

    /// Begins to probe. Returns the end of the cooldown as a change of state, unless an event has announced it already.
    fn become_half_open(&mut self, probes: Box<Probes>) -> Option<Transition> {
        let reopened = self.membership.phase().reopened();
        let transition = self.change_phase(Phase::HalfOpen { probes, reopened }, Reason::CooldownOver);
        (transition.from != transition.to).then_some(transition)
    }

    fn close(&mut self, settings: &Settings, reason: Reason) -> Transition {
        self.next_era();
        self.change_phase(Phase::closed(settings), reason)
    }

    fn close_after_probe(&mut self, settings: &Settings) -> Transition {
        let era = self.next_era();
        let mut closed = Phase::closed(settings);
        if let (Phase::Closed { probe_eras, .. }, Phase::HalfOpen { probes, .. }) =
            (&mut closed, self.membership.phase())
        {
            *probe_eras = probes.eras_until(era);
        }
        self.change_phase(closed, Reason::ProbeSucceeded)
    }

    fn change_phase(&mut self, phase: Phase, reason: Reason) -> Transition {
        let from = self.announced();
        let to = phase.announced();
        *self.membership.phase_mut() = phase;
        Transition { from, to, reason }
    }

    fn next_era(&mut self) -> Era {
        self.era = self.era.next();
        self.era
    }
}

impl Published {
    /// The time before which every call is rejected, provided that the circuit does not change.
    pub(crate) fn rejects_until(self) -> Option<Time> {
        match self {
            Self::Open { until, held: false } => Some(until),
            Self::HalfOpen { full_until } => full_until,
            Self::Idle | Self::Counting | Self::Open { held: true, .. } => None,
        }
    }
}

impl Transition {
    /// Whether the circuit opens by this change. It does not if it was open already.
    pub(crate) fn is_opening(self) -> bool {
        self.from != State::Open && self.to == State::Open
    }
}

impl Transitions {
    pub(crate) fn iter(self) -> impl Iterator<Item = Transition> {
        self.0.into_iter().flatten()
    }
}

impl From<Option<Transition>> for Transitions {
    fn from(transition: Option<Transition>) -> Self {
        Self([transition, None])
    }
}

impl Settlement {
    pub(crate) fn transition(&self) -> Option<Transition> {
        match self {
            Self::Recorded { transition, .. } | Self::CountedAlready { transition } => *transition,
            Self::Stale => None,
        }
    }
}

impl Era {
    /// The number of bits that are published.
    pub(crate) const BITS: u32 = 44;

    fn next(self) -> Self {
        // At a million changes a second, these bits last for half a year. A permit would be mistaken for a current one
        // only if it was held for exactly that long.
        Self((self.0 + 1) & ((1 << Self::BITS) - 1))
    }
}

impl CallNumber {
    /// No call, or a call that has no number.
    pub(crate) const NONE: Self = Self(0);
    const REMOVED: Self = Self(u16::MAX);

    /// The number of the next call.
    pub(crate) fn next(self) -> Self {
        Self(self.0 % (Self::REMOVED.0 - 1) + 1)
    }
}
