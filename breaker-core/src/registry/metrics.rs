//! What the metrics take out of a registry.

use std::sync::Arc;

use super::Registry;
use crate::circuit::{Circuit, EvictionRank};
use crate::event::Snapshot;
use crate::telemetry::{Counts, Sample};

impl Registry {
    /// Shows each circuit's connection, and whether it is anything but quietly closed.
    pub(crate) fn visit_activity(&self, mut each: impl FnMut(&Arc<str>, bool)) {
        let look = |circuit: &Circuit, now| {
            let inner = circuit.inner();
            (inner.connection().clone(), inner.standing(now) != Some(EvictionRank::ClosedWithoutStreak))
        };
        for (connection, is_active) in self.present(look) {
            each(&connection, is_active);
        }
    }

    /// Takes what each circuit counted. Part of the map is locked meanwhile.
    pub(crate) fn take_samples(&self, mut each: impl FnMut(Sample, Snapshot)) {
        let take = |circuit: &Circuit, now| {
            let inner = circuit.inner();
            (inner.take_sample(now), inner.snapshot(now))
        };
        for (sample, snapshot) in self.present(take) {
            each(sample, snapshot);
        }
    }

    /// Takes what circuits that are gone had not told yet.
    pub(crate) fn take_retired(&self) -> Counts {
        self.0.context.retired.take()
    }
}
