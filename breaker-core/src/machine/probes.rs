//! The probes of a half-open circuit: who holds a slot, and what they found so far.

use super::Era;
use crate::clock::Time;
use crate::config::Settings;

#[derive(Debug, Default)]
pub(super) struct Probes {
    slots: Vec<Slot>,
    succeeded: u32,
    /// Probes in a row that said nothing.
    inconclusive: u32,
}

#[derive(Debug)]
struct Slot {
    holder: Era,
    /// From then on another caller may take the slot over.
    lease_until: Time,
}

/// How a call that wants to probe fared.
pub(super) enum SlotGrant {
    Free,
    FromExpired,
    Full { until: Time },
}

impl Probes {
    /// Takes a slot. A success uses its slot up, so that never more bodies start than have to succeed.
    /// `leave_until`: the lease ends then at the latest.
    pub(super) fn take(&mut self, settings: &Settings, holder: Era, now: Time, leave_until: Time) -> SlotGrant {
        let slot = Slot { holder, lease_until: now.after(settings.probe_lease).min(leave_until) };
        let in_use = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        if in_use.saturating_add(self.succeeded) < settings.half_open_probes {
            self.slots.push(slot);
            return SlotGrant::Free;
        }
        match self.slots.iter_mut().min_by_key(|slot| slot.lease_until) {
            Some(oldest) if oldest.lease_until <= now => {
                *oldest = slot;
                SlotGrant::FromExpired
            }
            Some(oldest) => SlotGrant::Full { until: oldest.lease_until },
            // Every slot was used up by a success, so the circuit has closed: not reachable, and harmless.
            None => SlotGrant::Full { until: now },
        }
    }

    /// Gives the slot of the permit of this era back.
    pub(super) fn release(&mut self, holder: Era) {
        self.slots.retain(|slot| slot.holder != holder);
    }

    pub(super) fn holds(&self, holder: Era) -> bool {
        self.slots.iter().any(|slot| slot.holder == holder)
    }

    /// Whether no probe is under way.
    pub(super) fn is_free(&self) -> bool {
        self.slots.is_empty()
    }

    /// Takes every slot from its holder, and says whether there was one.
    pub(super) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.slots).is_empty()
    }

    pub(super) fn any_within_lease(&self, now: Time) -> bool {
        self.slots.iter().any(|slot| now < slot.lease_until)
    }

    /// A probe was answered. Says whether that was the last one needed.
    pub(super) fn succeed(&mut self, settings: &Settings) -> bool {
        self.inconclusive = 0;
        self.succeeded += 1;
        self.succeeded >= settings.half_open_probes
    }

    /// A probe said nothing. Says whether there were too many of those in a row.
    pub(super) fn say_nothing(&mut self, settings: &Settings) -> bool {
        self.inconclusive = self.inconclusive.saturating_add(1);
        settings.inconclusive_probes.is_some_and(|limit| self.inconclusive >= limit)
    }
}
