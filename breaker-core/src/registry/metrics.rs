//! Samples of all circuits of a registry, for the metrics.

use std::sync::Arc;

use super::Registry;
use crate::circuit::{Circuit, EvictionRank};
use crate::event::Snapshot;
use crate::telemetry::{Counts, Sample};

/// Whether a circuit is worth a series of its own where there are not enough for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Closed without a streak.
    Healthy,
    /// Any other state.
    Degraded,
}

impl Registry {
    /// Visits each circuit's connection and activity.
    pub(crate) fn visit_activity(&self, mut visit: impl FnMut(&Arc<str>, Activity)) {
        let activity = |circuit: &Circuit, now| {
            let inner = circuit.inner();
            let activity = match inner.eviction_rank(now) {
                Some(EvictionRank::ClosedWithoutStreak) => Activity::Healthy,
                _ => Activity::Degraded,
            };
            (inner.connection().clone(), activity)
        };
        for (connection, activity) in self.present(activity) {
            visit(&connection, activity);
        }
    }

    /// Takes a sample of each circuit. A part of the map is locked meanwhile.
    pub(crate) fn take_samples(&self, mut receive: impl FnMut(Sample, Snapshot)) {
        let take = |circuit: &Circuit, now| {
            let inner = circuit.inner();
            (inner.take_sample(now), inner.snapshot(now))
        };
        for (sample, snapshot) in self.present(take) {
            receive(sample, snapshot);
        }
    }

    /// Takes the counts that evicted circuits had not reported yet.
    pub(crate) fn take_retired(&self) -> Counts {
        self.0.context.retired.take()
    }
}
