//! The probes of a half-open circuit: slots, leases and results.

use super::Era;
use crate::clock::Time;
use crate::config::Settings;

#[derive(Debug, Default)]
pub(super) struct Probes {
    slots: Vec<Slot>,
    /// The era of the first probe of this half-open phase.
    first_era: Option<Era>,
    succeeded: u32,
    /// Inconclusive probes in a row.
    inconclusive: u32,
}

#[derive(Debug)]
struct Slot {
    holder: Era,
    /// The end of the lease, after which another caller may take the slot.
    lease_until: Time,
}

/// The answer to a call that asks for a slot.
pub(super) enum SlotGrant {
    Free,
    FromExpired,
    Full,
}

impl Probes {
    /// Takes a slot. A success uses its slot up, so the number of bodies that start never exceeds the number that has
    /// to succeed. The lease ends at `grant_until` at the latest.
    pub(super) fn take_slot(&mut self, settings: &Settings, holder: Era, now: Time, grant_until: Time) -> SlotGrant {
        self.first_era.get_or_insert(holder);
        let slot = Slot { holder, lease_until: now.after(settings.probe_lease).min(grant_until) };
        if self.has_free_slot(settings) {
            self.slots.push(slot);
            return SlotGrant::Free;
        }
        match self.slots.iter_mut().min_by_key(|slot| slot.lease_until) {
            Some(oldest) if oldest.lease_until <= now => {
                *oldest = slot;
                SlotGrant::FromExpired
            }
            // Without a slot, every slot was used up by a success and the circuit has closed, so this is not reached.
            Some(_) | None => SlotGrant::Full,
        }
    }

    /// While all slots are taken: the earliest end of a lease.
    pub(super) fn full_until(&self, settings: &Settings) -> Option<Time> {
        if self.has_free_slot(settings) { None } else { self.slots.iter().map(|slot| slot.lease_until).min() }
    }

    fn has_free_slot(&self, settings: &Settings) -> bool {
        let in_use = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        in_use.saturating_add(self.succeeded) < settings.half_open_probes
    }

    /// Releases the slot of the permit of this era.
    pub(super) fn release(&mut self, holder: Era) {
        self.slots.retain(|slot| slot.holder != holder);
    }

    pub(super) fn holds(&self, holder: Era) -> bool {
        self.slots.iter().any(|slot| slot.holder == holder)
    }

    /// The number of eras from the first probe of this half-open phase until `era`, at most 65,535.
    pub(super) fn eras_until(&self, era: Era) -> u16 {
        self.first_era.map_or(0, |first| u16::try_from(era.0 - first.0).unwrap_or(u16::MAX))
    }

    /// Whether no probe is under way.
    pub(super) fn is_free(&self) -> bool {
        self.slots.is_empty()
    }

    /// Takes every slot from its holder. Returns whether there was one.
    pub(super) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.slots).is_empty()
    }

    pub(super) fn any_within_lease(&self, now: Time) -> bool {
        self.slots.iter().any(|slot| now < slot.lease_until)
    }

    /// Records an answered probe. Returns whether it was the last one needed.
    pub(super) fn record_success(&mut self, settings: &Settings) -> bool {
        self.inconclusive = 0;
        self.succeeded += 1;
        self.succeeded >= settings.half_open_probes
    }

    /// Records an inconclusive probe. Returns whether the limit of inconclusive probes in a row is reached.
    pub(super) fn record_inconclusive(&mut self, settings: &Settings) -> bool {
        self.inconclusive = self.inconclusive.saturating_add(1);
        settings.inconclusive_probes.is_some_and(|limit| self.inconclusive >= limit)
    }
}
