//! What a circuit makes of what its fleet tells it.

use std::time::Duration;

use super::probe_grant::Leave;
use crate::clock::Time;
use crate::config::Settings;
use crate::event::Reason;
use crate::fleet::{FleetState, StateUpdate};
use crate::machine::{Machine, Phase, Transition, cooldown};
use crate::state::State;

impl Machine {
    /// The fleet tells how the circuit stands there.
    pub(crate) fn hear(&mut self, settings: &Settings, told: StateUpdate, now: Time) -> Option<Transition> {
        let rest = self.cooldown_until(now).map(|until| until.since(now));
        let (circuit, before) = (self.era, self.state(now));
        let sharing = self.seat.sharing_mut()?;
        if !sharing.believes(&told, circuit, rest) {
            return None;
        }
        let known = sharing.era;
        let forgotten = told.state == FleetState::Forgotten;
        sharing.era = if forgotten { None } else { Some(told.era) };
        // Of an era that was never heard of there is nothing to catch up with.
        let is_news = known.is_some_and(|known| told.era > known) && !forgotten;
        let answered = told.answers.is_some();
        let reason = match told.state {
            FleetState::Closed { failures } => {
                self.hear_closed(settings, failures, is_news);
                Reason::FleetClosed
            }
            FleetState::Forgotten => {
                self.hear_closed(settings, false, false);
                Reason::FleetForgot
            }
            FleetState::Open { remaining } => {
                let until = now.after(remaining.min(cooldown::longest(settings)));
                self.hear_open(until, is_news, answered, now);
                Reason::FleetOpened
            }
            FleetState::HeldOpen => {
                self.hear_held();
                Reason::FleetOpened
            }
            FleetState::Probing { remaining } => {
                let until = now.after(remaining.min(settings.probe_lease));
                self.hear_probing(told.era, until, is_news, now);
                Reason::FleetProbes
            }
        };
        let after = self.state(now);
        (before != after).then_some(Transition { from: before, to: after, reason })
    }

    fn hear_closed(&mut self, settings: &Settings, failures: bool, is_news: bool) {
        if is_news || !matches!(self.seat.phase(), Phase::Closed { .. }) {
            // Perhaps it opened and closed meanwhile: a call from before is of an older era all the same.
            self.close(settings, Reason::FleetClosed);
            self.leave(Leave::Unasked);
        }
        if let Some(sharing) = self.seat.sharing_mut() {
            sharing.dirty |= failures;
        }
    }

    fn hear_open(&mut self, until: Time, is_news: bool, answered: bool, now: Time) {
        let Some(leave) = self.seat.sharing().map(|sharing| sharing.leave) else { return };
        match self.seat.phase_mut() {
            Phase::Open { .. } | Phase::HalfOpen { .. } if !is_news && matches!(leave, Leave::Asked { .. }) => {
                // The fleet's clock is the one that counts, and by that the cooldown is not quite over.
                self.leave(Leave::Refused { until });
            }
            Phase::Open { until: own, .. } if !is_news => *own = until.max(*own),
            Phase::HalfOpen { .. } if !is_news => {}
            // Nobody opened it: a grant was given back, perhaps this process's own.
            Phase::Open { until: own, .. } if until <= now => {
                *own = until;
                if !matches!(leave, Leave::InVain) {
                    self.leave(Leave::Unasked);
                }
            }
            Phase::HalfOpen { .. } if until <= now && !matches!(leave, Leave::Granted { .. }) => {}
            // The confirmation of what the circuit decided itself.
            Phase::Open { until: own, .. } if answered => {
                *own = until.max(*own);
                self.leave(Leave::Unasked);
            }
            Phase::Closed { .. } | Phase::Held { .. } => self.turn_to(Phase::Open { until, reopened: 0 }),
            Phase::Open { .. } | Phase::HalfOpen { .. } => {
                self.turn_to(Phase::Open { until, reopened: self.seat.phase().reopened().saturating_add(1) });
            }
        }
    }

    fn hear_held(&mut self) {
        if !self.is_held() {
            self.turn_to(Phase::Held { reopened: self.seat.phase().reopened() });
        }
    }

    fn hear_probing(&mut self, era: u64, until: Time, is_news: bool, now: Time) {
        let Some(sharing) = self.seat.sharing() else { return };
        if matches!(sharing.leave, Leave::Granted { era: own, .. } if own == era) {
            return;
        }
        if is_news || !matches!(self.seat.phase(), Phase::Open { .. } | Phase::HalfOpen { .. }) {
            // Whoever probes here has been overtaken.
            self.turn_to(Phase::Open { until: now, reopened: self.seat.phase().reopened() });
        }
        self.leave(Leave::Refused { until });
    }

    /// The fleet gives leave to probe. False where that is of no use any more.
    pub(crate) fn grant(
        &mut self,
        settings: &Settings,
        era: u64,
        lease: Duration,
        now: Time,
    ) -> (bool, Option<Transition>) {
        let until = now.after(lease.min(settings.probe_lease));
        let wants_to_probe = self.state(now) == State::HalfOpen;
        let circuit = self.era;
        let Some((phase, sharing)) = self.seat.both_mut() else { return (false, None) };
        // It may have been told of its own grant already, as of anybody's.
        let was_told = sharing.era == Some(era) && matches!(sharing.leave, Leave::Refused { .. });
        if sharing.is_deciding() || (sharing.era.is_some_and(|known| era <= known) && !was_told) {
            return (false, None);
        }
        if sharing.conclude_late(circuit, era) {
            return (true, None);
        }
        if !wants_to_probe {
            return (false, None);
        }
        let mut overtaken = None;
        let taken = match phase {
            // The probe is under way already, and has claimed this.
            Phase::HalfOpen { probes, .. } if matches!(sharing.leave, Leave::Alone) => !probes.is_free(),
            Phase::HalfOpen { probes, .. } => {
                if probes.clear() {
                    let (from, to) = (State::HalfOpen, State::HalfOpen);
                    overtaken = Some(Transition { from, to, reason: Reason::LeaseExpired });
                }
                false
            }
            Phase::Open { .. } | Phase::Held { .. } | Phase::Closed { .. } => false,
        };
        sharing.era = Some(era);
        sharing.leave = Leave::Granted { era, until, taken };
        (true, overtaken)
    }

    /// Takes a grant back for which no call came. False where one did.
    pub(crate) fn withdraw(&mut self, granted: u64) -> bool {
        match self.seat.sharing_mut() {
            Some(sharing) => match sharing.leave {
                Leave::Granted { era, taken: false, .. } if era == granted => {
                    sharing.leave = Leave::InVain;
                    true
                }
                _ => false,
            },
            None => true,
        }
    }

    /// Nobody can be asked.
    pub(crate) fn go_alone(&mut self) {
        if let Some(sharing) = self.seat.sharing_mut() {
            if matches!(sharing.leave, Leave::Asked { .. } | Leave::Unasked | Leave::InVain) {
                sharing.leave = Leave::Alone;
            }
        }
    }

    /// The next answer is news to the fleet.
    pub(crate) fn expect_answer(&mut self) {
        if let Some((Phase::Closed { .. }, sharing)) = self.seat.both_mut() {
            sharing.dirty = true;
        }
    }

    /// The verdict with this stamp did not reach the fleet.
    pub(crate) fn lose(&mut self, stamp: u64) {
        if let Some(sharing) = self.seat.sharing_mut() {
            sharing.lose(stamp);
        }
    }

    fn turn_to(&mut self, phase: Phase) {
        self.next_era();
        *self.seat.phase_mut() = phase;
        self.leave(Leave::Unasked);
        if let Some(sharing) = self.seat.sharing_mut() {
            sharing.dirty = false;
        }
    }
}
