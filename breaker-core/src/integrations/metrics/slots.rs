//! Assignment of a limited number of series to connections.

use std::collections::HashMap;
use std::sync::Arc;

use metrics::Label;

use super::series::Series;
use crate::clock::Time;
use crate::registry::Activity;
use crate::telemetry::Counts;

/// The label of all connections without series of their own.
const OTHER: &str = "(other)";

/// The connections with series of their own, and the series of all others together.
pub(super) struct Slots {
    limit: usize,
    own: HashMap<Arc<str>, Slot>,
    pub(super) other: Series,
}

pub(super) struct Slot {
    pub(super) series: Series,
    /// When the current state began, and the wall-clock time of that moment.
    pub(super) since: Option<(Time, f64)>,
    is_present: bool,
    activity: Activity,
}

impl Slots {
    pub(super) fn new(limit: usize, common: &[Label]) -> Self {
        Self { limit, own: HashMap::new(), other: Series::new(common, OTHER.to_owned()) }
    }

    /// Starts a new assignment to the circuits that exist now.
    pub(super) fn start_assignment(&mut self) -> Assignment<'_> {
        for slot in self.own.values_mut() {
            slot.is_present = false;
        }
        Assignment { slots: self, degraded: Vec::new(), healthy: Vec::new() }
    }

    /// Removes the slots for which `is_released` returns true, and sets their gauges to 0.
    fn release(&mut self, mut is_released: impl FnMut(&Slot) -> bool) {
        let mut carried = Counts::default();
        self.own.retain(|_, slot| {
            let is_kept = !is_released(slot);
            if !is_kept {
                slot.series.set_gauges(None);
                carried.add(&slot.series.take_carried());
            }
            is_kept
        });
        self.other.carry(&carried);
    }

    pub(super) fn get_mut(&mut self, connection: &str) -> Option<&mut Slot> {
        self.own.get_mut(connection)
    }

    pub(super) fn has(&self, connection: &str) -> bool {
        self.own.contains_key(connection)
    }
}

/// An assignment of slots under way: the circuits that have no slot yet, degraded ones first.
pub(super) struct Assignment<'s> {
    slots: &'s mut Slots,
    degraded: Vec<Arc<str>>,
    healthy: Vec<Arc<str>>,
}

impl Assignment<'_> {
    /// Adds a circuit that exists.
    pub(super) fn add(&mut self, connection: &Arc<str>, activity: Activity) {
        if let Some(slot) = self.slots.own.get_mut(connection) {
            slot.is_present = true;
            slot.activity = activity;
            return;
        }
        let candidates = match activity {
            Activity::Degraded => &mut self.degraded,
            Activity::Healthy => &mut self.healthy,
        };
        if candidates.len() < self.slots.limit {
            candidates.push(connection.clone());
        }
    }

    /// Assigns the slots. A circuit keeps its slot, unless it is healthy and a degraded circuit needs the slot.
    pub(super) fn finish(mut self, common: &[Label]) {
        let Slots { limit, .. } = *self.slots;
        self.slots.release(|slot| !slot.is_present);
        let kept = self.slots.own.values().filter(|slot| slot.activity == Activity::Degraded).count();
        self.degraded.truncate(limit - kept);
        let mut needed = (self.slots.own.len() + self.degraded.len()).saturating_sub(limit);
        self.slots.release(|slot| {
            let is_released = slot.activity == Activity::Healthy && needed > 0;
            needed -= usize::from(is_released);
            is_released
        });
        let degraded = self.degraded.into_iter().map(|connection| (connection, Activity::Degraded));
        let healthy = self.healthy.into_iter().map(|connection| (connection, Activity::Healthy));
        for (connection, activity) in degraded.chain(healthy) {
            if self.slots.own.len() == limit {
                return;
            }
            let series = Series::new(common, connection.to_string());
            self.slots.own.insert(connection, Slot { series, since: None, is_present: true, activity });
        }
    }
}
