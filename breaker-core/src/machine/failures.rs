//! The failures of a closed circuit that count towards its threshold.

use std::collections::VecDeque;

use crate::clock::Time;
use crate::config::Settings;

/// The failures since the last answer: a number, and with a `failure_window` their moments too.
#[derive(Debug, Default)]
pub(super) struct Failures {
    streak: u32,
    /// Boxed, for without a window there are none; at most `failure_threshold` of them.
    #[expect(clippy::box_collection, reason = "eight bytes in each circuit instead of 32")]
    moments: Option<Box<VecDeque<Time>>>,
}

impl Failures {
    /// Counts one more and says how many count now.
    pub(super) fn add(&mut self, settings: &Settings, now: Time) -> u32 {
        let Some(window) = settings.failure_window else {
            self.streak = self.streak.saturating_add(1);
            return self.streak;
        };
        let moments = self.moments.get_or_insert_default();
        while moments.front().is_some_and(|oldest| now.since(*oldest) >= window) {
            moments.pop_front();
        }
        // Threads read the clock before they have the lock, so `now` may be a little older than the last moment.
        moments.push_back(moments.back().map_or(now, |last| now.max(*last)));
        self.streak = u32::try_from(moments.len()).unwrap_or(u32::MAX);
        self.streak
    }

    /// Forgets them all and says how many counted.
    pub(super) fn clear(&mut self, settings: &Settings, now: Time) -> u32 {
        std::mem::take(self).count(settings, now)
    }

    /// How many count at this moment.
    pub(super) fn count(&self, settings: &Settings, now: Time) -> u32 {
        match (&self.moments, settings.failure_window) {
            (Some(moments), Some(window)) => {
                let expired = moments.partition_point(|moment| now.since(*moment) >= window);
                u32::try_from(moments.len() - expired).unwrap_or(u32::MAX)
            }
            _ => self.streak,
        }
    }

    /// Whether there is nothing to clear.
    pub(super) fn is_empty(&self) -> bool {
        self.streak == 0
    }
}
