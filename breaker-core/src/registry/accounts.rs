//! What the metrics take out of a registry.

use std::sync::Arc;

use super::Registry;
use crate::adapters::metrics::{Account, Counts};
use crate::circuit::{Circuit, Standing};
use crate::snapshot::Snapshot;

impl Registry {
    /// Shows each circuit's connection, and whether it is anything but quietly closed.
    pub(crate) fn show_troubles(&self, mut each: impl FnMut(&Arc<str>, bool)) {
        let look = |circuit: &Circuit, now| {
            let inner = circuit.inner();
            (inner.connection().clone(), inner.standing(now) != Some(Standing::ClosedWithoutStreak))
        };
        for (connection, is_in_trouble) in self.present(look) {
            each(&connection, is_in_trouble);
        }
    }

    /// Takes what each circuit counted. Part of the map is locked meanwhile.
    pub(crate) fn take_accounts(&self, mut each: impl FnMut(Account, Snapshot)) {
        let take = |circuit: &Circuit, now| {
            let inner = circuit.inner();
            (inner.take_account(now), inner.snapshot(now))
        };
        for (account, snapshot) in self.present(take) {
            each(account, snapshot);
        }
    }

    /// Takes what circuits that are gone had not told yet.
    pub(crate) fn take_departed(&self) -> Counts {
        self.0.surroundings.departed.take()
    }
}
