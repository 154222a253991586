//! The streak of a closed circuit, and its optional windows.

use std::collections::VecDeque;
use std::time::Duration;

use super::failure_rate::Rate;
use crate::clock::Time;
use crate::config::Settings;

/// The failures since the last answer: their number and, with a failure window, the time of each.
///
/// Borrowed from the phase, which stores both fields where they need no extra memory.
pub(super) struct Failures<'p> {
    pub(super) streak: &'p mut u32,
    pub(super) windows: &'p mut Option<Box<Windows>>,
}

/// Boxed, because most circuits have none.
#[derive(Debug)]
pub(super) struct Windows {
    /// With a `failure_window`: the times of the failures, at most `failure_threshold` of them.
    moments: VecDeque<Time>,
    /// With a `failure_rate`: the calls and failures within the window.
    rate: Option<Rate>,
}

impl Failures<'_> {
    /// Adds a failure. Returns how many failures count now.
    pub(super) fn add(&mut self, settings: &Settings, now: Time) -> u32 {
        *self.streak = match (&mut *self.windows, settings.failure_window) {
            (Some(windows), Some(window)) => windows.slide_and_add(window, now),
            _ => self.streak.saturating_add(1),
        };
        *self.streak
    }

    /// Clears all failures. Returns how many counted.
    pub(super) fn clear(&mut self, settings: &Settings, now: Time) -> u32 {
        let cleared = count(*self.streak, self.windows.as_deref(), settings, now);
        *self.streak = 0;
        if let Some(windows) = self.windows {
            windows.moments = VecDeque::new();
        }
        cleared
    }

    /// Counts a call towards the failure rate. Returns whether the circuit opens by it.
    pub(super) fn rate(&mut self, settings: &Settings, failed: bool, now: Time) -> bool {
        let rate = self.windows.as_mut().and_then(|windows| windows.rate.as_mut());
        let (Some(rate), Some(limit)) = (rate, &settings.failure_rate) else { return false };
        rate.add(limit, failed, now);
        failed && rate.exceeds(limit)
    }
}

/// The number of failures that currently count.
pub(super) fn count(streak: u32, windows: Option<&Windows>, settings: &Settings, now: Time) -> u32 {
    match (windows, settings.failure_window) {
        (Some(Windows { moments, .. }), Some(window)) => {
            let expired = moments.partition_point(|moment| now.since(*moment) >= window);
            u32::try_from(moments.len() - expired).unwrap_or(u32::MAX)
        }
        _ => streak,
    }
}

impl Windows {
    /// The windows that these settings need, if any.
    pub(super) fn of(settings: &Settings) -> Option<Box<Self>> {
        let rate = settings.failure_rate.as_ref().map(|_| Rate::default());
        let is_needed = rate.is_some() || settings.failure_window.is_some();
        is_needed.then(|| Box::new(Self { moments: VecDeque::new(), rate }))
    }

    /// Whether successes count too, because there is a rate.
    pub(super) fn has_rate(&self) -> bool {
        self.rate.is_some()
    }

    fn slide_and_add(&mut self, window: Duration, now: Time) -> u32 {
        let moments = &mut self.moments;
        while moments.front().is_some_and(|oldest| now.since(*oldest) >= window) {
            moments.pop_front();
        }
        // A thread reads the clock before it takes the lock, so `now` may be slightly older than the last entry.
        moments.push_back(moments.back().map_or(now, |last| now.max(*last)));
        u32::try_from(moments.len()).unwrap_or(u32::MAX)
    }
}
