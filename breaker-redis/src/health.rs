//! How it stands between this process and the server, and who is told when that changes.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::event::FleetEvent;
use crate::post::Office;

impl Office {
    /// The server answers.
    pub(crate) fn came_back(&self) {
        self.connected.store(true, Ordering::Release);
        self.make_up_for_what_was_missed();
        let was_lost = self.lost.swap(false, Ordering::AcqRel);
        let dropped = self.counters.dropped.get();
        self.tell(&if was_lost { FleetEvent::Recovered { dropped } } else { FleetEvent::Connected });
    }

    /// The server does not answer.
    pub(crate) fn went_away(&self, reason: String) {
        self.connected.store(false, Ordering::Release);
        if !self.lost.swap(true, Ordering::AcqRel) {
            self.counters.losses.add(1);
            self.tell(&FleetEvent::Lost { reason });
        }
    }

    /// The server answers that it will not.
    pub(crate) fn was_refused(&self, reason: String) {
        self.counters.errors.add(1);
        if !self.refused.swap(true, Ordering::AcqRel) {
            self.tell(&FleetEvent::Refused { reason });
        }
    }

    /// The server did what it was asked to write.
    pub(crate) fn was_accepted(&self) {
        if turn_off(&self.refused) {
            self.make_up_for_what_was_missed();
            self.tell(&FleetEvent::Accepted);
        }
    }

    pub(crate) fn has_subscribed(&self) {
        if !self.subscribed.swap(true, Ordering::AcqRel) {
            self.tell(&FleetEvent::Subscribed);
        }
        // What was said meanwhile, nobody heard.
        self.compare.notify_one();
    }

    pub(crate) fn has_no_subscription(&self, reason: String) {
        if turn_off(&self.subscribed) {
            self.tell(&FleetEvent::Unsubscribed { reason });
        }
    }
}

/// Whether it was on.
fn turn_off(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Acquire) && flag.swap(false, Ordering::AcqRel)
}
