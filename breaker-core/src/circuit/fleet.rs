//! What passes between a circuit and its fleet.

use std::time::Duration;

use super::Inner;
use crate::fleet::{Change, CircuitReport, StateUpdate};
use crate::machine::{Machine, PendingReport};
use crate::telemetry::contained;

impl Inner {
    /// The fleet tells how the circuit stands there.
    pub(crate) fn apply_update(&self, update: StateUpdate) {
        self.force(|machine, now| machine.apply_update(self.settings(), update, now));
    }

    /// The fleet gives leave to probe. False where that is of no use any more.
    pub(crate) fn grant(&self, era: u64, lease: Duration) -> bool {
        let mut taken = false;
        self.force(|machine, now| {
            let (accepted, transition) = machine.grant(self.settings(), era, lease, now);
            taken = accepted;
            transition
        });
        taken
    }

    /// The fleet takes its leave back. False where a call has come for it.
    pub(crate) fn withdraw(&self, era: u64) -> bool {
        self.with_machine(|machine| machine.withdraw(era))
    }

    /// There is no fleet to ask for leave.
    pub(crate) fn mark_unavailable(&self) {
        self.with_machine(Machine::mark_unavailable);
    }

    /// The verdict with this stamp did not reach the fleet.
    pub(crate) fn mark_undelivered(&self, stamp: u64) {
        self.with_machine(|machine| machine.mark_undelivered(stamp));
    }

    /// The next answer is news to the fleet.
    pub(crate) fn expect_answer(&self) {
        self.force(|machine, _| {
            machine.expect_answer();
            None
        });
    }

    /// The circuit is new, and its fleet may know it.
    pub(crate) fn report_joined(&self) {
        if let Some(fleet) = self.fleet() {
            let news =
                CircuitReport { connection: self.connection().clone(), era: None, change: Change::Joined, stamp: None };
            contained(|| fleet.publish(news));
        }
    }

    /// Tells the fleet, as [`deliver`](Self::deliver) tells the hooks, for which it does not wait.
    pub(super) fn report_to_fleet(&self, mut batch: Vec<PendingReport>) {
        let Some(fleet) = self.fleet() else { return };
        while !batch.is_empty() {
            for PendingReport { era, change, stamp } in batch {
                let connection = self.connection().clone();
                contained(|| fleet.publish(CircuitReport { connection, era, change, stamp }));
            }
            batch = self.with_machine(Machine::continue_reporting);
        }
    }
}
