//! The streak of a closed circuit, and its optional windows.

use std::collections::VecDeque;
use std::time::Duration;

use super::CallNumber;
use super::failure_rate::Rate;
use super::history::{History, Removed};
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
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// With a `failure_window`: the times of the failures, also of those in the history.
    moments: VecDeque<Time>,
    /// With a `failure_rate`: the calls and failures within the window.
    rate: Option<Rate>,
    /// If it is not empty, it contains the streak.
    history: History,
}

/// A call, and the call around it on the same circuit. `NONE` for a call that has no number, or for no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nesting {
    pub(crate) own: CallNumber,
    pub(crate) outer: CallNumber,
}

impl Failures<'_> {
    /// Adds the failure of a call. Returns `false` if the failure of an inner call counts already.
    ///
    /// The answers of its inner calls are withdrawn: what they had cleared counts again.
    #[inline]
    pub(super) fn add(&mut self, settings: &Settings, nesting: Nesting, now: Time) -> bool {
        if nesting == Nesting::NONE && !self.has_history() {
            *self.streak = match (&mut *self.windows, settings.failure_window) {
                (Some(windows), Some(window)) => {
                    windows.slide(window, now);
                    windows.push_moment(now);
                    u32::try_from(windows.moments.len()).unwrap_or(u32::MAX)
                }
                _ => self.streak.saturating_add(1),
            };
            return true;
        }
        self.add_to_history(settings, nesting, now)
    }

    #[cold]
    fn add_to_history(&mut self, settings: &Settings, nesting: Nesting, now: Time) -> bool {
        let Nesting { own, outer } = nesting;
        self.change_history(settings, |windows| {
            if let Some(window) = settings.failure_window {
                let expired = windows.slide(window, now);
                windows.history.expire(expired);
            }
            let history = &mut windows.history;
            if own != CallNumber::NONE {
                history.withdraw_answers(own);
                if history.counts_failure_of(own) {
                    history.pass_on(own, outer);
                    return false;
                }
                // An unrelated answer has cleared these failures. The failure of the outer call replaces them.
                let removed = history.remove_before(history.end(), Some(own));
                windows.remove_moments(removed);
            }
            windows.history.push_failure(outer);
            if settings.failure_window.is_some() {
                windows.push_moment(now);
            }
            true
        })
    }

    /// Clears the streak by an answer inside the call `outer`, or by a final one if that is `NONE`. Returns how many failures
    /// counted.
    #[inline]
    pub(super) fn clear(&mut self, settings: &Settings, outer: CallNumber, now: Time) -> u32 {
        let cleared = count(*self.streak, self.windows.as_deref(), settings, now);
        if outer != CallNumber::NONE {
            if *self.streak > 0 || self.has_history() {
                self.add_answer_to_history(settings, outer);
            }
            return cleared;
        }
        *self.streak = 0;
        if let Some(windows) = self.windows {
            windows.moments = VecDeque::new();
            windows.history.clear();
            self.drop_unused(settings);
        }
        cleared
    }

    #[cold]
    fn add_answer_to_history(&mut self, settings: &Settings, outer: CallNumber) {
        self.change_history(settings, |windows| {
            // The outer call has handled its own failures.
            let removed = windows.history.remove_before(windows.history.end(), Some(outer));
            windows.remove_moments(removed);
            windows.history.push_answer(outer);
        });
    }

    /// Ends a call that did not fail by itself. The answers of its inner calls are final unless there is a call around it.
    #[cold]
    pub(super) fn end(&mut self, settings: &Settings, nesting: Nesting) {
        if !self.has_history() {
            return;
        }
        self.change_history(settings, |windows| {
            let Nesting { own, outer } = nesting;
            if let Some(end) = windows.history.after_answer_of(own) {
                let removed = if outer == CallNumber::NONE {
                    windows.history.remove_before(end, None)
                } else {
                    windows.history.remove_before(end, Some(outer))
                };
                windows.remove_moments(removed);
            }
            windows.history.pass_on(own, outer);
        });
    }

    fn has_history(&self) -> bool {
        self.windows.as_ref().is_some_and(|windows| windows.has_history())
    }

    fn change_history<T>(&mut self, settings: &Settings, change: impl FnOnce(&mut Windows) -> T) -> T {
        let windows = self.windows.get_or_insert_default();
        windows.history.begin(*self.streak);
        let result = change(windows);
        *self.streak = windows.history.streak();
        let removed = windows.history.tidy();
        windows.remove_moments(removed);
        self.drop_unused(settings);
        result
    }

    /// Drops windows that were needed for a history only.
    fn drop_unused(&mut self, settings: &Settings) {
        if !self.has_history() && settings.failure_rate.is_none() && settings.failure_window.is_none() {
            *self.windows = None;
        }
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
            streak.min(u32::try_from(moments.len() - expired).unwrap_or(u32::MAX))
        }
        _ => streak,
    }
}

impl Windows {
    /// The windows that these settings need, if any.
    pub(super) fn of(settings: &Settings) -> Option<Box<Self>> {
        let rate = settings.failure_rate.as_ref().map(|_| Rate::default());
        let is_needed = rate.is_some() || settings.failure_window.is_some();
        is_needed.then(|| Box::new(Self { rate, ..Self::default() }))
    }

    /// Whether an answer has an effect, because there is a rate or a history.
    pub(super) fn needs_answers(&self) -> bool {
        self.rate.is_some() || self.has_history()
    }

    pub(super) fn has_history(&self) -> bool {
        !self.history.is_empty()
    }

    /// Whether the history contains a part of this call.
    pub(super) fn remembers(&self, call: CallNumber) -> bool {
        self.history.contains(call)
    }

    /// Removes the failures that have left the window. Returns how many.
    fn slide(&mut self, window: Duration, now: Time) -> usize {
        let expired = self.moments.partition_point(|moment| now.since(*moment) >= window);
        self.moments.drain(..expired);
        expired
    }

    fn push_moment(&mut self, now: Time) {
        // A thread reads the clock before it takes the lock, so `now` may be slightly older than the last entry.
        self.moments.push_back(self.moments.back().map_or(now, |last| now.max(*last)));
    }

    fn remove_moments(&mut self, removed: Removed) {
        // Without a `failure_window` there are no moments.
        if !self.moments.is_empty() {
            for run in removed.into_iter().rev() {
                self.moments.drain(run);
            }
        }
    }
}

impl Nesting {
    /// A call without inner calls, outside every other call.
    pub(super) const NONE: Self = Self { own: CallNumber::NONE, outer: CallNumber::NONE };
}
