//! Which connections have series of their own.

use std::collections::HashMap;
use std::sync::Arc;

use metrics::Label;

use super::series::Series;
use crate::clock::Time;
use crate::telemetry::Counts;

/// The connection that stands for all those without series of their own.
const OTHER: &str = "(other)";

pub(super) struct Slots {
    limit: usize,
    own: HashMap<Arc<str>, Slot>,
    pub(super) other: Series,
}

pub(super) struct Slot {
    pub(super) series: Series,
    /// The moment since when the present state lasts, and what the wall clock showed then.
    pub(super) since: Option<(Time, f64)>,
    seen: bool,
    in_trouble: bool,
}

impl Slots {
    pub(super) fn new(limit: usize, common: &[Label]) -> Self {
        Self { limit, own: HashMap::new(), other: Series::new(common, OTHER.to_owned()) }
    }

    /// Starts to look at the circuits that are there now.
    pub(super) fn look(&mut self) -> Look<'_> {
        for slot in self.own.values_mut() {
            slot.seen = false;
        }
        Look { slots: self, in_trouble: Vec::new(), quiet: Vec::new() }
    }

    /// Takes the slots that a test is true of, and shows that there is no circuit any more.
    fn release(&mut self, mut goes: impl FnMut(&Slot) -> bool) {
        let mut carried = Counts::default();
        self.own.retain(|_, slot| {
            let stays = !goes(slot);
            if !stays {
                slot.series.show(None);
                carried.add(&slot.series.take_carried());
            }
            stays
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

/// A look at all circuits, to give the slots to some of them.
pub(super) struct Look<'s> {
    slots: &'s mut Slots,
    in_trouble: Vec<Arc<str>>,
    quiet: Vec<Arc<str>>,
}

impl Look<'_> {
    pub(super) fn see(&mut self, connection: &Arc<str>, is_in_trouble: bool) {
        if let Some(slot) = self.slots.own.get_mut(connection) {
            slot.seen = true;
            slot.in_trouble = is_in_trouble;
            return;
        }
        let candidates = if is_in_trouble { &mut self.in_trouble } else { &mut self.quiet };
        if candidates.len() < self.slots.limit {
            candidates.push(connection.clone());
        }
    }

    /// Gives the slots: who has one keeps it, unless one in trouble needs it.
    pub(super) fn assign(mut self, common: &[Label]) {
        let Slots { limit, .. } = *self.slots;
        self.slots.release(|slot| !slot.seen);
        let kept = self.slots.own.values().filter(|slot| slot.in_trouble).count();
        self.in_trouble.truncate(limit - kept);
        let mut needed = (self.slots.own.len() + self.in_trouble.len()).saturating_sub(limit);
        self.slots.release(|slot| {
            let goes = !slot.in_trouble && needed > 0;
            needed -= usize::from(goes);
            goes
        });
        let in_trouble = self.in_trouble.into_iter().map(|connection| (connection, true));
        let quiet = self.quiet.into_iter().map(|connection| (connection, false));
        for (connection, in_trouble) in in_trouble.chain(quiet) {
            if self.slots.own.len() == limit {
                return;
            }
            let series = Series::new(common, connection.to_string());
            self.slots.own.insert(connection, Slot { series, since: None, seen: true, in_trouble });
        }
    }
}
