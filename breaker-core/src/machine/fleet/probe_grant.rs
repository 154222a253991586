//! A circuit's part in a fleet: what it knows of the others, what it waits for, and what it has to tell them.

use std::time::Duration;

use crate::clock::Time;
use crate::config::Settings;
use crate::fleet::{Change, FleetState, StateUpdate};
use crate::machine::Era;
use crate::ordered_delivery::OrderedDelivery;

/// How long a circuit waits to hear whether it may probe, before it probes by itself.
const PATIENCE: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
pub(in crate::machine) struct Sharing {
    /// The era of the fleet's state, as it was last told.
    pub(super) era: Option<u64>,
    /// Whether the fleet may know of failures, so that an answer is news to it.
    pub(super) dirty: bool,
    pub(super) leave: Leave,
    own: Option<Own>,
    /// What a probe found that began without leave, in the circuit's era since: leave that comes late is for this.
    found: Option<(Era, Change)>,
    pub(super) news: OrderedDelivery<Dispatch>,
}

/// Whether the process may probe.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::machine) enum Leave {
    /// Nobody has asked.
    #[default]
    Unasked,
    /// An answer is due.
    Asked { until: Time },
    /// It is of no use to ask before that.
    Refused { until: Time },
    /// The fleet gave it. `taken`: a call has come for it.
    Granted { era: u64, until: Time, taken: bool },
    /// It gave it before, and no call came: the next call does not wait for it once more.
    InVain,
    /// There is nobody to ask.
    Alone,
}

/// A verdict of the circuit's own that the fleet has not confirmed. It is the one of `era`, its stamp.
#[derive(Clone, Copy, Debug)]
struct Own {
    era: Era,
    change: Change,
    lost: bool,
}

/// A change on its way to the fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) era: Option<u64>,
    pub(crate) change: Change,
    pub(crate) stamp: Option<u64>,
}

impl Sharing {
    pub(in crate::machine) fn tell(&mut self, change: Change) {
        self.news.put(Dispatch { era: self.era, change, stamp: None });
    }

    /// A call was answered while the circuit was closed.
    pub(in crate::machine) fn answered(&mut self) {
        if std::mem::take(&mut self.dirty) {
            self.tell(Change::Answered);
        }
    }

    /// The circuit was changed by failures, or by somebody's command.
    pub(in crate::machine) fn decide(&mut self, era: Era, change: Change) {
        self.tell_verdict(era, change);
        self.leave = Leave::Unasked;
        self.dirty = false;
    }

    /// A verdict, of the circuit's new era, after which nobody else is heard until the fleet has taken or refused it.
    fn tell_verdict(&mut self, era: Era, change: Change) {
        self.own = Some(Own { era, change, lost: false });
        self.news.put(Dispatch { era: self.era, change, stamp: Some(era.0) });
    }

    /// A call wants to be a probe: until when it has leave to, or until when it is of no use to ask again.
    pub(in crate::machine) fn may_probe(&mut self, settings: &Settings, now: Time) -> Result<Time, Time> {
        match self.leave {
            Leave::Granted { era, until, .. } if now < until => {
                self.leave = Leave::Granted { era, until, taken: true };
                Ok(until)
            }
            Leave::Asked { until } | Leave::Refused { until } if now < until => Err(until),
            Leave::Asked { .. } | Leave::Alone => {
                self.leave = Leave::Alone;
                Ok(Time::NEVER)
            }
            Leave::InVain => {
                self.leave = Leave::Alone;
                self.tell(Change::ProbeWanted { lease: settings.probe_lease });
                Ok(Time::NEVER)
            }
            Leave::Unasked | Leave::Granted { .. } | Leave::Refused { .. } => {
                let until = now.after(PATIENCE);
                self.leave = Leave::Asked { until };
                self.tell(Change::ProbeWanted { lease: settings.probe_lease });
                Err(until)
            }
        }
    }

    /// Whether a probe's result comes too late, for the lease of its grant has run out.
    pub(in crate::machine) fn has_lapsed(&self, now: Time) -> bool {
        matches!(self.leave, Leave::Granted { until, .. } if until <= now)
    }

    /// Leave comes when the probe that asked for it has concluded already. False where the circuit has changed since.
    pub(in crate::machine) fn conclude_late(&mut self, era: Era, granted: u64) -> bool {
        match self.found.take() {
            Some((found, change)) if found == era => {
                self.era = Some(granted);
                self.tell_verdict(era, change);
                true
            }
            _ => false,
        }
    }

    /// A probe has concluded, and the circuit is of a new era. Without leave the others hear of it only if that comes
    /// late.
    pub(in crate::machine) fn conclude(&mut self, era: Era, change: Change) {
        if matches!(self.leave, Leave::Granted { .. }) {
            self.tell_verdict(era, change);
        } else {
            // The others may not know that the circuit is open: they are told as soon as they can be.
            self.own = match change {
                Change::ProbeFailed { cooldown } => Some(Own { era, change: Change::Opened { cooldown }, lost: true }),
                _ => None,
            };
            self.found = Some((era, change));
        }
        self.leave = Leave::Unasked;
        self.dirty = false;
    }

    /// A probe said nothing, and no other is under way.
    pub(in crate::machine) fn give_back(&mut self) {
        if matches!(self.leave, Leave::Granted { .. }) {
            self.tell(Change::ProbeDropped);
            self.leave = Leave::Unasked;
        }
    }

    /// Whether a verdict of the circuit's own is on its way.
    pub(in crate::machine) fn is_deciding(&self) -> bool {
        self.own.is_some_and(|own| !own.lost)
    }

    /// The circuit's own verdict did not reach the fleet.
    pub(in crate::machine) fn lose(&mut self, stamp: u64) {
        match &mut self.own {
            Some(own) if own.era.0 == stamp => own.lost = true,
            _ => {}
        }
    }

    /// Whether the circuit, in this era of its own and with this rest of its cooldown, takes what it is told. Otherwise
    /// it is out of date, or the circuit knows better: then it tells what it knows once more.
    pub(in crate::machine) fn believes(&mut self, told: &StateUpdate, circuit: Era, rest: Option<Duration>) -> bool {
        let is_stale = self.era.is_some_and(|known| told.era < known);
        let Some(own) = self.own else { return !is_stale };
        if told.answers == Some(own.era.0) {
            self.own = None;
            return true;
        }
        if !own.lost || is_stale {
            return false;
        }
        self.own = None;
        // A fleet that has lost what it knew has not decided anything since.
        let is_newer = told.state != FleetState::Forgotten && self.era.is_none_or(|known| told.era > known);
        let change = match (own.change, rest) {
            _ if is_newer || own.era != circuit => return true,
            (Change::Opened { .. }, Some(cooldown)) => Change::Opened { cooldown },
            (Change::Tripped { .. }, Some(cooldown)) => Change::Tripped { cooldown },
            (Change::Reset | Change::HeldOpen, _) => own.change,
            // What is over, or the verdict of a probe whose grant is over too.
            _ => return true,
        };
        self.tell_verdict(circuit, change);
        false
    }
}
