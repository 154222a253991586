//! Updates from the fleet, applied to a circuit.

use std::time::Duration;

use super::participation::ProbeGrant;
use crate::clock::Time;
use crate::config::Settings;
use crate::event::Reason;
use crate::fleet::{FleetState, StateUpdate};
use crate::machine::{Machine, Phase, Transition, Transitions, cooldown};
use crate::state::State;

/// The relation of an update to the state that the circuit knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freshness {
    /// The known state again, or the first update of all: there is nothing to catch up with.
    Repeat,
    /// A newer state that another process caused.
    Newer,
    /// A newer state that the fleet reports in reply to a verdict of this circuit.
    Confirmation,
}

impl Machine {
    /// Applies a state that the fleet reports.
    pub(crate) fn apply_update(&mut self, settings: &Settings, update: StateUpdate, now: Time) -> Transitions {
        let remaining = self.cooldown_until(now).map(|until| until.since(now));
        let circuit = self.era;
        let Some(participation) = self.membership.participation_mut() else { return Transitions::default() };
        if !participation.receive(&update, circuit, remaining) {
            return Transitions::default();
        }
        let known = participation.era;
        let forgotten = update.state == FleetState::Forgotten;
        participation.era = if forgotten { None } else { Some(update.era) };
        let is_newer = known.is_some_and(|known| update.era > known) && !forgotten;
        let freshness = match update.answers {
            _ if !is_newer => Freshness::Repeat,
            Some(_) => Freshness::Confirmation,
            None => Freshness::Newer,
        };
        self.apply_from_outside(now, |machine| machine.follow(settings, update, freshness, now))
    }

    /// Follows an accepted update. Returns the reason of its event.
    fn follow(&mut self, settings: &Settings, update: StateUpdate, freshness: Freshness, now: Time) -> Reason {
        match update.state {
            FleetState::Closed { failures } => {
                self.apply_closed(settings, failures, freshness);
                Reason::FleetClosed
            }
            FleetState::Forgotten => {
                self.apply_closed(settings, false, Freshness::Repeat);
                Reason::FleetForgot
            }
            FleetState::Open { remaining } => {
                let until = now.after(remaining.min(cooldown::longest(settings)));
                self.apply_open(until, freshness, now);
                Reason::FleetOpened
            }
            FleetState::HeldOpen => {
                self.apply_held();
                Reason::FleetOpened
            }
            FleetState::Probing { remaining } => {
                let until = now.after(remaining.min(settings.probe_lease));
                self.apply_probing(update.era, until, freshness, now);
                Reason::FleetProbes
            }
        }
    }

    fn apply_closed(&mut self, settings: &Settings, failures: bool, freshness: Freshness) {
        if freshness != Freshness::Repeat || !matches!(self.membership.phase(), Phase::Closed { .. }) {
            // A closed circuit begins a new era too: it may have missed an opening, and results of calls from before that
            // opening must not count.
            self.close(settings, Reason::FleetClosed);
            self.set_probe_grant(ProbeGrant::NotRequested);
        }
        if let Some(participation) = self.membership.participation_mut() {
            participation.must_report_answer |= failures;
        }
    }

    fn apply_open(&mut self, until: Time, freshness: Freshness, now: Time) {
        let Some(probe_grant) = self.membership.participation().map(|participation| participation.probe_grant) else {
            return;
        };
        match self.membership.phase_mut() {
            // The reply to a request for a grant: by the clock of the fleet, which decides, the cooldown is not over yet.
            Phase::Open { .. } | Phase::HalfOpen { .. }
                if freshness == Freshness::Repeat && matches!(probe_grant, ProbeGrant::Requested { .. }) =>
            {
                self.set_probe_grant(ProbeGrant::Denied { until });
            }
            // The known opening again. Its cooldown never becomes shorter.
            Phase::Open { until: own, .. } if freshness == Freshness::Repeat => *own = until.max(*own),
            // The known opening again, while a probe is under way here. The probe decides.
            Phase::HalfOpen { .. } if freshness == Freshness::Repeat => {}
            // A newer era, but its cooldown is over: a grant was returned, perhaps the one of this process. The next call
            // may ask again. After an unused grant it probes at once instead.
            Phase::Open { until: own, .. } if until <= now => {
                *own = until;
                if !matches!(probe_grant, ProbeGrant::Unused) {
                    self.set_probe_grant(ProbeGrant::NotRequested);
                }
            }
            // The same, while a probe without a grant is under way here. The probe goes on.
            Phase::HalfOpen { .. } if until <= now && !matches!(probe_grant, ProbeGrant::Granted { .. }) => {}
            // The confirmation of this circuit's own opening.
            Phase::Open { until: own, .. } if freshness == Freshness::Confirmation => {
                *own = until.max(*own);
                self.set_probe_grant(ProbeGrant::NotRequested);
            }
            // Another process opened the circuit.
            Phase::Closed { .. } | Phase::Held { .. } => self.enter_phase(Phase::open(until, 0)),
            // Another process opened the circuit again, after a probe.
            Phase::Open { .. } | Phase::HalfOpen { .. } => {
                self.enter_phase(Phase::open(until, self.membership.phase().reopened().saturating_add(1)));
            }
        }
    }

    fn apply_held(&mut self) {
        if !self.is_held() {
            self.enter_phase(Phase::Held { reopened: self.membership.phase().reopened() });
        }
    }

    fn apply_probing(&mut self, era: u64, until: Time, freshness: Freshness, now: Time) {
        let Some(participation) = self.membership.participation() else { return };
        if matches!(participation.probe_grant, ProbeGrant::Granted { era: own, .. } if own == era) {
            return;
        }
        if freshness != Freshness::Repeat
            || !matches!(self.membership.phase(), Phase::Open { .. } | Phase::HalfOpen { .. })
        {
            // A probe of this process is overtaken by the other process: its result belongs to an older era from now on.
            self.enter_phase(Phase::open(now, self.membership.phase().reopened()));
        }
        self.set_probe_grant(ProbeGrant::Denied { until });
    }

    /// Applies a probe grant of the fleet. Returns `false` where the circuit has no use for it any more.
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
        let Some((phase, participation)) = self.membership.both_mut() else { return (false, None) };
        // The update about this very grant may have arrived first. It then looked like the grant of another process.
        let was_announced =
            participation.era == Some(era) && matches!(participation.probe_grant, ProbeGrant::Denied { .. });
        if participation.has_pending_verdict()
            || (participation.era.is_some_and(|known| era <= known) && !was_announced)
        {
            return (false, None);
        }
        if participation.conclude_late(circuit, era) {
            return (true, None);
        }
        if !wants_to_probe {
            return (false, None);
        }
        let mut overtaken = None;
        let is_claimed = match phase {
            // A probe without a grant is under way, so it claims this grant.
            Phase::HalfOpen { probes, .. } if matches!(participation.probe_grant, ProbeGrant::Unavailable) => {
                !probes.is_free()
            }
            Phase::HalfOpen { probes, .. } => {
                if probes.clear() {
                    let (from, to) = (State::HalfOpen, State::HalfOpen);
                    overtaken = Some(Transition { from, to, reason: Reason::LeaseExpired });
                }
                false
            }
            Phase::Open { .. } | Phase::Held { .. } | Phase::Closed { .. } => false,
        };
        participation.era = Some(era);
        participation.probe_grant = ProbeGrant::Granted { era, until, is_claimed };
        (true, overtaken)
    }

    /// Withdraws a grant that no call has claimed. Returns `false` where a call has claimed it.
    pub(crate) fn withdraw(&mut self, granted: u64) -> bool {
        match self.membership.participation_mut() {
            Some(participation) => match participation.probe_grant {
                ProbeGrant::Granted { era, is_claimed: false, .. } if era == granted => {
                    participation.probe_grant = ProbeGrant::Unused;
                    true
                }
                _ => false,
            },
            None => true,
        }
    }

    /// Records that the fleet cannot be reached.
    pub(crate) fn mark_unavailable(&mut self) {
        if let Some(participation) = self.membership.participation_mut() {
            if matches!(
                participation.probe_grant,
                ProbeGrant::Requested { .. } | ProbeGrant::NotRequested | ProbeGrant::Unused
            ) {
                participation.probe_grant = ProbeGrant::Unavailable;
            }
        }
    }

    /// Makes the next answer be reported to the fleet.
    pub(crate) fn expect_answer(&mut self) {
        if let Some((Phase::Closed { .. }, participation)) = self.membership.both_mut() {
            participation.must_report_answer = true;
        }
    }

    /// Marks the verdict with this stamp as undelivered.
    pub(crate) fn mark_undelivered(&mut self, stamp: u64) {
        if let Some(participation) = self.membership.participation_mut() {
            participation.mark_undelivered(stamp);
        }
    }

    fn enter_phase(&mut self, phase: Phase) {
        self.next_era();
        *self.membership.phase_mut() = phase;
        self.set_probe_grant(ProbeGrant::NotRequested);
        if let Some(participation) = self.membership.participation_mut() {
            participation.must_report_answer = false;
        }
    }
}
