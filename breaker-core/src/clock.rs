//! Monotonic time, as the circuits see it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A source of monotonic time.
///
/// Circuits measure cooldowns, leases and windows with it and never look at wall time. The system's monotonic clock is
/// the default; tests give [`ManualClock`](crate::testing::ManualClock) to
/// [`RegistryBuilder::clock`](crate::RegistryBuilder::clock) instead.
pub trait Clock: Send + Sync {
    /// The time since an origin that this clock chose once; it should never go back.
    ///
    /// For a clock that goes back all the same, time stands still until it has caught up: that lengthens a cooldown, and
    /// never shortens one. It is called outside every lock, and should be cheap and not panic.
    fn now(&self) -> Duration;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Duration {
        (**self).now()
    }
}

/// The clock of one registry: the system's is called directly, any other through a pointer.
#[derive(Clone, Default)]
pub(crate) enum TimeSource {
    #[default]
    System,
    Custom(Arc<NeverBack<dyn Clock>>),
}

/// Keeps a clock from going back.
pub(crate) struct NeverBack<C: ?Sized> {
    /// The latest moment that the clock has shown, in nanoseconds.
    latest: AtomicU64,
    clock: C,
}

impl NeverBack<dyn Clock> {
    fn now(&self) -> Time {
        let shown = Time::since_origin(self.clock.now());
        // Most clocks go forward, and a test's stands still: then nothing is written.
        let latest = Time(self.latest.load(Ordering::Relaxed));
        if shown <= latest { latest } else { shown.max(Time(self.latest.fetch_max(shown.0, Ordering::Relaxed))) }
    }
}

impl TimeSource {
    pub(crate) fn custom(clock: impl Clock + 'static) -> Self {
        Self::Custom(Arc::new(NeverBack { latest: AtomicU64::new(0), clock }))
    }

    pub(crate) fn now(&self) -> Time {
        match self {
            Self::System => self.read().time(),
            Self::Custom(clock) => clock.now(),
        }
    }

    #[inline]
    pub(crate) fn read(&self) -> Reading {
        match self {
            Self::System => Reading(Instant::now()),
            Self::Custom(clock) => Reading::of(clock.now()),
        }
    }
}

/// A moment as the system's clock shows it: cheaper to read and to compare than a [`Time`], which is counted from an
/// origin. A moment of another clock is put on the same scale.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Reading(Instant);

impl Reading {
    pub(crate) fn time(self) -> Time {
        Time::since_origin(self.0.saturating_duration_since(origin()))
    }

    #[cold]
    fn of(time: Time) -> Self {
        let origin = origin();
        Self(origin.checked_add(Duration::from_nanos(time.0)).unwrap_or(origin))
    }

    /// This moment plus a wait in nanoseconds, or this moment where that is out of range.
    pub(crate) fn after(self, nanos: u64) -> Self {
        Self(self.0.checked_add(Duration::from_nanos(nanos)).unwrap_or(self.0))
    }
}

/// A moment before every other of the system's clock.
fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}

impl fmt::Debug for TimeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Custom(_) => "Custom",
        })
    }
}

/// A moment: nanoseconds since the clock's origin, saturating, which lasts for 584 years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time(u64);

impl Time {
    pub(crate) const ORIGIN: Self = Self(0);
    /// Later than every moment that a clock can show, so that an endless wait stays endless.
    pub(crate) const NEVER: Self = Self(u64::MAX);

    fn since_origin(elapsed: Duration) -> Self {
        Self(nanos(elapsed).min(u64::MAX - 1))
    }

    #[inline]
    pub(crate) fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    pub(crate) fn as_nanos(self) -> u64 {
        self.0
    }

    /// This moment plus a wait, or [`Time::NEVER`] where that is out of range.
    pub(crate) fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(nanos(wait)))
    }

    /// The time from `earlier` to this moment; zero where that lies ahead.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.nanos_since(earlier))
    }

    /// As [`since`](Self::since), in nanoseconds.
    #[inline]
    pub(crate) fn nanos_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The nanoseconds of a duration, saturating.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct EndOfTime;
    impl Clock for EndOfTime {
        fn now(&self) -> Duration {
            Duration::MAX
        }
    }

    #[test]
    fn no_clock_reaches_never() {
        // Fails when `since_origin` is not capped: an endless cooldown would be over at the end of time.
        assert!(TimeSource::custom(EndOfTime).now() < Time::NEVER);
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Time::from_nanos(5).after(Duration::MAX), Time::NEVER);
        assert_eq!(Time::from_nanos(5).since(Time::from_nanos(9)), Duration::ZERO);
    }

    #[test]
    fn the_system_clock_moves_forward() {
        let first = TimeSource::System.now();
        assert!(TimeSource::System.now() >= first);
    }
}
