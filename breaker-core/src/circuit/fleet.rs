//! Updates of the fleet, applied to a circuit, and reports of the circuit to the fleet.

use std::time::Duration;

use super::Inner;
use crate::fleet::{Change, CircuitReport, StateUpdate};
use crate::machine::{Machine, PendingReport, Transitions};
use crate::telemetry::contained;

impl Inner {
    /// Applies the fleet's state.
    pub(crate) fn apply_update(&self, update: StateUpdate) {
        self.apply(|machine, now| machine.apply_update(self.settings(), update, now));
    }

    /// Applies a probe grant. Returns `false` where the circuit has no use for it any more.
    pub(crate) fn grant(&self, era: u64, lease: Duration) -> bool {
        let mut is_accepted = false;
        self.apply(|machine, now| {
            let (accepted, transition) = machine.grant(self.settings(), era, lease, now);
            is_accepted = accepted;
            transition.into()
        });
        is_accepted
    }

    /// Withdraws a probe grant. Returns `false` where a call has claimed it.
    pub(crate) fn withdraw(&self, era: u64) -> bool {
        self.with_machine(|machine| machine.withdraw(era))
    }

    /// Records that the fleet cannot be asked for a grant.
    pub(crate) fn mark_unavailable(&self) {
        self.with_machine(Machine::mark_unavailable);
    }

    /// Marks the verdict with this stamp as undelivered.
    pub(crate) fn mark_undelivered(&self, stamp: u64) {
        self.with_machine(|machine| machine.mark_undelivered(stamp));
    }

    /// Makes the next answer be reported to the fleet.
    pub(crate) fn expect_answer(&self) {
        self.apply(|machine, _| {
            machine.expect_answer();
            Transitions::default()
        });
    }

    /// Reports a new circuit, because the fleet may know its state.
    pub(crate) fn report_joined(&self) {
        if let Some(fleet) = self.fleet() {
            let report =
                CircuitReport { connection: self.connection().clone(), era: None, change: Change::Joined, stamp: None };
            contained(|| fleet.publish(report));
        }
    }

    /// Publishes reports in order and outside the lock, as [`deliver_events`](Self::deliver_events) does for events. It
    /// does not wait for the fleet.
    pub(super) fn report_to_fleet(&self, first: PendingReport) {
        let Some(fleet) = self.fleet() else { return };
        let mut next = Some(first);
        while let Some(PendingReport { era, change, stamp }) = next {
            let connection = self.connection().clone();
            contained(|| fleet.publish(CircuitReport { connection, era, change, stamp }));
            next = self.with_machine(Machine::continue_reporting);
        }
    }
}
