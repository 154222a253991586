//! How it stands between this process and the server, and who is told when that changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::event::FleetEvent;
use crate::post::Office;

/// So long nothing is refused before the server counts as one that accepts; longer than it takes until circuits for which
/// it refused something are looked at again.
const CALM: Duration = Duration::from_millis(1_500);

/// The server refused something.
#[derive(Debug)]
pub(crate) struct Refusal {
    last: Instant,
    /// It has carried out something since.
    is_over: bool,
}

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
        let refusal = Refusal { last: Instant::now(), is_over: false };
        if self.refusal().replace(refusal).is_none() {
            self.tell(&FleetEvent::Refused { reason });
        }
    }

    /// The server did what it was asked to write.
    pub(crate) fn was_accepted(&self) {
        let was_over = self.refusal().as_mut().is_none_or(|refusal| std::mem::replace(&mut refusal.is_over, true));
        if !was_over {
            self.make_up_for_what_was_missed();
        }
    }

    /// Says that the server accepts again, once it has done so and has refused nothing for a while: it may refuse what
    /// concerns one circuit and accept the rest.
    pub(crate) fn end_refusal(&self) {
        if self.refusal().take_if(|refusal| refusal.is_over && refusal.last.elapsed() >= CALM).is_some() {
            self.tell(&FleetEvent::Accepted);
        }
    }

    pub(crate) fn refusal(&self) -> MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
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
pub(crate) fn turn_off(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Acquire) && flag.swap(false, Ordering::AcqRel)
}
