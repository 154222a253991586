//! What a circuit tells its fleet, and how it asks for leave to probe.

use std::time::Duration;

use super::probe_grant::{Dispatch, Leave};
use crate::clock::Time;
use crate::config::Settings;
use crate::fleet::Change;
use crate::machine::{Machine, Phase, cooldown};
use crate::state::State;

impl Machine {
    /// A call wants in. Until when it may probe, should it have to; or until when it is of no use to ask again.
    pub(in crate::machine) fn leave_to_probe(
        &mut self,
        settings: &Settings,
        may_probe: bool,
        now: Time,
    ) -> Result<Time, Time> {
        let would_probe = may_probe && self.state(now) == State::HalfOpen;
        match self.seat.sharing_mut() {
            Some(sharing) if would_probe => sharing.may_probe(settings, now),
            _ => Ok(Time::NEVER),
        }
    }

    /// What there is to tell the fleet, unless another thread is at it.
    pub(crate) fn start_telling(&mut self) -> Vec<Dispatch> {
        self.seat.sharing_mut().map(|sharing| sharing.news.start()).unwrap_or_default()
    }

    /// What there is to tell the fleet still, once all that was told; nothing ends it.
    pub(crate) fn go_on_telling(&mut self) -> Vec<Dispatch> {
        self.seat.sharing_mut().map(|sharing| sharing.news.go_on()).unwrap_or_default()
    }

    /// Whether the fleet knows of failures, so that an answer is news to it.
    pub(in crate::machine) fn is_dirty(&self) -> bool {
        self.seat.sharing().is_some_and(|sharing| sharing.dirty)
    }

    /// A call was answered while the circuit was closed.
    pub(in crate::machine) fn share_answer(&mut self) {
        if let Some(sharing) = self.seat.sharing_mut() {
            sharing.answered();
        }
    }

    /// A call has just failed while the circuit was closed.
    pub(in crate::machine) fn share_failure(&mut self, settings: &Settings, name: &str, now: Time) {
        let (era, is_open) = (self.era, matches!(self.seat.phase(), Phase::Open { .. }));
        let cooldown = if is_open { self.cooldown_left(now) } else { cooldown::length(settings, 0, name, era.next()) };
        let Some(sharing) = self.seat.sharing_mut() else { return };
        if is_open {
            sharing.decide(era, Change::Opened { cooldown });
        } else if settings.failure_window.is_none() {
            // How old a failure is, only the process knows that saw it.
            sharing.dirty = true;
            sharing.tell(Change::Failed { threshold: settings.failure_threshold, cooldown });
        }
    }

    /// A probe was heard, and led to this state, if to another.
    pub(in crate::machine) fn share_conclusion(&mut self, to: Option<State>, is_given_back: bool, now: Time) {
        let (era, cooldown) = (self.era, self.cooldown_left(now));
        let Some(sharing) = self.seat.sharing_mut() else { return };
        match to {
            Some(State::Closed) => sharing.conclude(era, Change::ProbeSucceeded),
            Some(_) => sharing.conclude(era, Change::ProbeFailed { cooldown }),
            None if is_given_back => sharing.give_back(),
            None => {}
        }
    }

    /// The circuit was changed from outside.
    pub(in crate::machine) fn share_command(&mut self, change: Change) {
        let era = self.era;
        if let Some(sharing) = self.seat.sharing_mut() {
            sharing.decide(era, change);
        }
    }

    /// How long the circuit will stay open.
    pub(in crate::machine) fn cooldown_left(&self, now: Time) -> Duration {
        self.cooldown_until(now).map(|until| until.since(now)).unwrap_or_default()
    }

    pub(in crate::machine) fn leave(&mut self, leave: Leave) {
        if let Some(sharing) = self.seat.sharing_mut() {
            sharing.leave = leave;
        }
    }
}
