//! Reports of a circuit to its fleet, and requests for probe grants.

use std::time::Duration;

use super::participation::{PendingReport, ProbeGrant};
use crate::clock::Time;
use crate::config::Settings;
use crate::fleet::Change;
use crate::machine::{Jitter, Machine, Phase, cooldown};
use crate::state::State;

impl Machine {
    /// Requests a probe grant for a call that would be a probe. Returns the end of the grant, or `None` if the call must
    /// not probe now.
    pub(in crate::machine) fn request_probe(
        &mut self,
        settings: &Settings,
        may_probe: bool,
        now: Time,
    ) -> Option<Time> {
        let would_probe = may_probe && self.state(now) == State::HalfOpen;
        match self.membership.participation_mut() {
            Some(participation) if would_probe => participation.request_probe(settings, now),
            _ => Some(Time::NEVER),
        }
    }

    /// Takes the first report to send, unless another thread is sending already.
    pub(crate) fn start_reporting(&mut self) -> Option<PendingReport> {
        self.membership.participation_mut()?.outgoing.start()
    }

    /// Takes the next report to send. The delivery ends if there is none.
    pub(crate) fn continue_reporting(&mut self) -> Option<PendingReport> {
        self.membership.participation_mut()?.outgoing.next_item()
    }

    /// Whether the next answer must be reported, because the fleet may have recorded failures.
    pub(in crate::machine) fn must_report_answer(&self) -> bool {
        self.membership.participation().is_some_and(|participation| participation.must_report_answer)
    }

    /// Reports an answer of the closed circuit.
    pub(in crate::machine) fn report_answer(&mut self) {
        if let Some(participation) = self.membership.participation_mut() {
            participation.report_answer();
        }
    }

    /// Reports a failure of the closed circuit, or the opening that it caused.
    pub(in crate::machine) fn report_failure(&mut self, settings: &Settings, jitter: Jitter<'_>, now: Time) {
        let (era, is_open) = (self.era, matches!(self.membership.phase(), Phase::Open { .. }));
        let cooldown =
            if is_open { self.cooldown_left(now) } else { cooldown::length(settings, 0, jitter, era.next()) };
        let Some(participation) = self.membership.participation_mut() else { return };
        if is_open {
            participation.report_decision(era, Change::Opened { cooldown });
        } else if settings.failure_window.is_none() {
            // With a failure window, the age of each failure matters, and only the process that saw the failure knows
            // it.
            participation.must_report_answer = true;
            participation.report(Change::Failed { threshold: settings.failure_threshold, cooldown });
        }
    }

    /// Reports the result of a probe. `to` is the state that it led to, if the state changed.
    pub(in crate::machine) fn report_conclusion(&mut self, to: Option<State>, is_returned: bool, now: Time) {
        let (era, cooldown) = (self.era, self.cooldown_left(now));
        let Some(participation) = self.membership.participation_mut() else { return };
        match to {
            Some(State::Closed) => participation.conclude(era, Change::ProbeSucceeded),
            Some(_) => participation.conclude(era, Change::ProbeFailed { cooldown }),
            None if is_returned => participation.return_grant(),
            None => {}
        }
    }

    /// Reports a command.
    pub(in crate::machine) fn report_command(&mut self, change: Change) {
        let era = self.era;
        if let Some(participation) = self.membership.participation_mut() {
            participation.report_decision(era, change);
        }
    }

    /// The remaining cooldown.
    pub(in crate::machine) fn cooldown_left(&self, now: Time) -> Duration {
        self.cooldown_until(now).map(|until| until.since(now)).unwrap_or_default()
    }

    pub(in crate::machine) fn set_probe_grant(&mut self, grant: ProbeGrant) {
        if let Some(participation) = self.membership.participation_mut() {
            participation.probe_grant = grant;
        }
    }
}
