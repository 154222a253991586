//! The participation of a circuit in a fleet: the known state of the fleet, the probe grant, and outgoing reports.

use std::time::Duration;

use crate::clock::Time;
use crate::config::Settings;
use crate::fleet::{Change, FleetState, StateUpdate};
use crate::machine::Era;
use crate::ordered_delivery::OrderedDelivery;

/// How long a circuit waits for a probe grant before it probes without one.
const GRANT_TIMEOUT: Duration = Duration::from_millis(250);

/// The participation of one circuit in its fleet.
#[derive(Debug, Default)]
pub(in crate::machine) struct Participation {
    /// The era of the newest state that the fleet reported.
    pub(super) era: Option<u64>,
    /// Whether the fleet may have recorded failures, so that the next answer must be reported to clear them.
    pub(super) must_report_answer: bool,
    pub(super) probe_grant: ProbeGrant,
    own_verdict: Option<OwnVerdict>,
    /// The verdict of a probe without a grant, with the era of the circuit since then. A grant that arrives late is used to
    /// report it.
    late_verdict: Option<(Era, Change)>,
    pub(super) outgoing: OrderedDelivery<PendingReport>,
}

/// Whether this process may probe a half-open circuit.
///
/// | from | input | to | reported to the fleet |
/// |---|---|---|---|
/// | `NotRequested`, an expired `Granted`, an expired `Denied` | a call that may probe | `Requested` | `ProbeWanted` |
/// | any but `Unavailable`, half-open | the fleet grants | `Granted` | |
/// | `Requested` | the fleet reports a cooldown | `Denied` | |
/// | any but the own grant | the fleet reports another process's probe | `Denied` | |
/// | any but `Unused` | the fleet reports a newer opening whose cooldown is over | `NotRequested` | |
/// | any | the fleet reports another newer state | `NotRequested` | |
/// | `Requested` | no reply within `GRANT_TIMEOUT`, and the next call | `Unavailable` | |
/// | `Requested`, `NotRequested`, `Unused` | the fleet cannot be reached | `Unavailable` | |
/// | `Granted`, unclaimed | a call that may probe | `Granted`, claimed | |
/// | `Granted`, unclaimed | withdrawn, because no call claimed it in time | `Unused` | the fleet itself returns the grant |
/// | `Unused` | a call that may probe: it probes at once | `Unavailable` | `ProbeWanted`, so that a grant follows |
/// | `Unavailable` | the fleet grants while the probe is under way | `Granted`, claimed | |
/// | `Granted` | the probe concludes | `NotRequested` | `ProbeSucceeded` or `ProbeFailed` |
/// | any other | the probe concludes | `NotRequested` | its verdict, if a grant arrives late |
/// | `Granted` | the last probe ends inconclusively | `NotRequested` | `ProbeDropped` |
/// | any | a reset, trip, hold or opening of this process | `NotRequested` | that change |
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::machine) enum ProbeGrant {
    /// No call asked for a grant.
    #[default]
    NotRequested,
    /// The fleet was asked, and its reply is due by `until`.
    Requested { until: Time },
    /// The fleet will not grant a probe before `until`.
    Denied { until: Time },
    /// The fleet granted a probe under `era`, until its lease ends. It is claimed once a call probes with it.
    Granted { era: u64, until: Time, is_claimed: bool },
    /// The last grant was withdrawn unclaimed. The next call probes at once instead of waiting for another grant.
    Unused,
    /// The fleet cannot be reached, so this process probes without a grant.
    Unavailable,
}

/// A verdict of this circuit that the fleet has not confirmed yet. Its era is the stamp of the report.
#[derive(Clone, Copy, Debug)]
struct OwnVerdict {
    era: Era,
    change: Change,
    is_undelivered: bool,
}

/// A change that is to be reported to the fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingReport {
    pub(crate) era: Option<u64>,
    pub(crate) change: Change,
    pub(crate) stamp: Option<u64>,
}

impl Participation {
    pub(in crate::machine) fn report(&mut self, change: Change) {
        self.outgoing.push(PendingReport { era: self.era, change, stamp: None });
    }

    /// Reports an answer of a closed circuit, if the fleet may have recorded failures.
    pub(in crate::machine) fn report_answer(&mut self) {
        if std::mem::take(&mut self.must_report_answer) {
            self.report(Change::Answered);
        }
    }

    /// Reports a decision of this circuit: an opening by failures, or a command.
    pub(in crate::machine) fn report_decision(&mut self, era: Era, change: Change) {
        self.report_verdict(era, change);
        self.probe_grant = ProbeGrant::NotRequested;
        self.must_report_answer = false;
    }

    /// Reports a verdict. Updates are ignored until the fleet has accepted or refused it.
    fn report_verdict(&mut self, era: Era, change: Change) {
        self.own_verdict = Some(OwnVerdict { era, change, is_undelivered: false });
        self.outgoing.push(PendingReport { era: self.era, change, stamp: Some(era.0) });
    }

    /// Asks whether a call may probe. Returns the end of the grant, or `None` if the call must not probe now.
    pub(in crate::machine) fn request_probe(&mut self, settings: &Settings, now: Time) -> Option<Time> {
        match self.probe_grant {
            ProbeGrant::Granted { era, until, .. } if now < until => {
                self.probe_grant = ProbeGrant::Granted { era, until, is_claimed: true };
                Some(until)
            }
            ProbeGrant::Requested { until } | ProbeGrant::Denied { until } if now < until => None,
            ProbeGrant::Requested { .. } | ProbeGrant::Unavailable => {
                self.probe_grant = ProbeGrant::Unavailable;
                Some(Time::NEVER)
            }
            ProbeGrant::Unused => {
                self.probe_grant = ProbeGrant::Unavailable;
                self.report(Change::ProbeWanted { lease: settings.probe_lease });
                Some(Time::NEVER)
            }
            ProbeGrant::NotRequested | ProbeGrant::Granted { .. } | ProbeGrant::Denied { .. } => {
                let until = now.after(GRANT_TIMEOUT);
                self.probe_grant = ProbeGrant::Requested { until };
                self.report(Change::ProbeWanted { lease: settings.probe_lease });
                None
            }
        }
    }

    /// Whether the lease of the grant is over, so that the result of the probe is too late.
    pub(in crate::machine) fn grant_has_expired(&self, now: Time) -> bool {
        matches!(self.probe_grant, ProbeGrant::Granted { until, .. } if until <= now)
    }

    /// Uses a grant that arrives after the probe that requested it has concluded: reports the verdict of that probe.
    /// Returns `false` where the circuit has changed since.
    pub(in crate::machine) fn conclude_late(&mut self, era: Era, granted: u64) -> bool {
        match self.late_verdict.take() {
            Some((found, change)) if found == era => {
                self.era = Some(granted);
                self.report_verdict(era, change);
                true
            }
            _ => false,
        }
    }

    /// Records the verdict of a probe, after which the circuit is in a new era. Without a grant, the verdict is
    /// reported only if a grant arrives late.
    pub(in crate::machine) fn conclude(&mut self, era: Era, change: Change) {
        if matches!(self.probe_grant, ProbeGrant::Granted { .. }) {
            self.report_verdict(era, change);
        } else {
            // The fleet may not know that the circuit is open, so the opening is reported with the next accepted
            // update.
            self.own_verdict = match change {
                Change::ProbeFailed { cooldown } => {
                    Some(OwnVerdict { era, change: Change::Opened { cooldown }, is_undelivered: true })
                }
                _ => None,
            };
            self.late_verdict = Some((era, change));
        }
        self.probe_grant = ProbeGrant::NotRequested;
        self.must_report_answer = false;
    }

    /// Returns the grant after an inconclusive probe, where no other probe is under way.
    pub(in crate::machine) fn return_grant(&mut self) {
        if matches!(self.probe_grant, ProbeGrant::Granted { .. }) {
            self.report(Change::ProbeDropped);
            self.probe_grant = ProbeGrant::NotRequested;
        }
    }

    /// Whether a verdict of this circuit is on its way to the fleet.
    pub(in crate::machine) fn has_pending_verdict(&self) -> bool {
        self.own_verdict.is_some_and(|own| !own.is_undelivered)
    }

    /// Marks the verdict with this stamp as undelivered.
    pub(in crate::machine) fn mark_undelivered(&mut self, stamp: u64) {
        match &mut self.own_verdict {
            Some(own) if own.era.0 == stamp => own.is_undelivered = true,
            _ => {}
        }
    }

    /// Receives an update from the fleet, and returns whether the circuit applies it. Clears the circuit's own verdict once
    /// the fleet has decided, and may report that verdict again. `circuit` is the era of the circuit, `remaining` the rest of
    /// its cooldown.
    ///
    /// - While a verdict of its own is on its way, the circuit ignores every update except the reply to that verdict. Such an
    ///   update was sent before the fleet received the verdict.
    /// - Where that verdict was not delivered, a newer update wins, because the fleet has decided since. Otherwise the circuit
    ///   reports its verdict again, if it still holds.
    /// - An update of an older era than the known one is stale.
    pub(in crate::machine) fn receive(
        &mut self,
        update: &StateUpdate,
        circuit: Era,
        remaining: Option<Duration>,
    ) -> bool {
        let is_stale = self.era.is_some_and(|known| update.era < known);
        let Some(own) = self.own_verdict else { return !is_stale };
        if update.answers == Some(own.era.0) {
            self.own_verdict = None;
            return true;
        }
        if !own.is_undelivered || is_stale {
            return false;
        }
        self.own_verdict = None;
        // A fleet whose store was emptied has not decided anything since.
        let is_newer = update.state != FleetState::Forgotten && self.era.is_none_or(|known| update.era > known);
        let change = match (own.change, remaining) {
            _ if is_newer || own.era != circuit => return true,
            (Change::Opened { .. }, Some(cooldown)) => Change::Opened { cooldown },
            (Change::Tripped { .. }, Some(cooldown)) => Change::Tripped { cooldown },
            (Change::Reset | Change::HeldOpen, _) => own.change,
            // The cooldown is over, or the verdict belongs to a probe whose grant is over.
            _ => return true,
        };
        self.report_verdict(circuit, change);
        false
    }
}
