//! Monotonic time of the circuits.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
#[cfg(feature = "metrics")]
use std::time::{SystemTime, UNIX_EPOCH};

use crate::panics::contained;

/// A source of monotonic time.
///
/// Circuits measure cooldowns, leases and windows with it and never read wall-clock time. The default is the system's
/// monotonic clock. Tests pass [`ManualClock`](crate::testing::ManualClock) to
/// [`RegistryBuilder::clock`](crate::RegistryBuilder::clock) instead.
///
/// A registry or circuit with a clock of your own does not read the system's clock, so it also runs on targets without
/// one, such as `wasm32-unknown-unknown`. What still
/// has a time of its own is in the guide to [settings](crate::guide::settings).
pub trait Clock: Send + Sync {
    /// Returns the time since a fixed origin. It should never decrease.
    ///
    /// If the clock goes back, time stands still until the clock has caught up, which lengthens a cooldown and never
    /// shortens one. Time stands still in the same way if the method panics: the panic handler prints the panic, and the
    /// call goes on. The method is called outside every lock. It should be fast.
    fn now(&self) -> Duration;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Duration {
        (**self).now()
    }
}

/// The clock of one registry. The system's clock is called directly, any other through a pointer.
#[derive(Clone, Default)]
pub(crate) enum TimeSource {
    #[default]
    System,
    Custom(Arc<NeverBack<dyn Clock>>),
}

/// Prevents a clock from going back.
pub(crate) struct NeverBack<C: ?Sized> {
    number: ClockNumber,
    /// The latest time that the clock returned, in nanoseconds.
    latest: AtomicU64,
    clock: C,
}

impl NeverBack<dyn Clock> {
    fn now(&self) -> Time {
        let Some(elapsed) = contained(|| self.clock.now()) else { return Time(self.latest.load(Ordering::Relaxed)) };
        let shown = Time::since_origin(elapsed);
        // Most clocks advance, and a manual clock often stands still. Nothing is written in the latter case.
        let latest = Time(self.latest.load(Ordering::Relaxed));
        if shown <= latest { latest } else { shown.max(Time(self.latest.fetch_max(shown.0, Ordering::Relaxed))) }
    }
}

/// The number of a clock, by which a rejection finds it again.
///
/// A pointer would have to be released when the rejection is dropped. That code is a part of every guarded call, because
/// every call may return a rejection, and it made successful calls slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClockNumber(u64);

impl ClockNumber {
    pub(crate) const SYSTEM: Self = Self(0);
    /// The number of no clock.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// The time of this clock; `None` if the clock no longer exists.
    pub(crate) fn now(self) -> Option<Time> {
        if self == Self::SYSTEM {
            return Some(TimeSource::System.now());
        }
        let clock = custom_clocks().get(&self)?.upgrade()?;
        Some(clock.now())
    }
}

/// The clocks of users that exist.
type CustomClocks = BTreeMap<ClockNumber, Weak<NeverBack<dyn Clock>>>;

fn custom_clocks() -> MutexGuard<'static, CustomClocks> {
    static CLOCKS: Mutex<CustomClocks> = Mutex::new(BTreeMap::new());
    CLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<C: ?Sized> Drop for NeverBack<C> {
    fn drop(&mut self) {
        custom_clocks().remove(&self.number);
    }
}

impl<C: Clock + 'static> From<C> for TimeSource {
    fn from(clock: C) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = ClockNumber(LAST.fetch_add(1, Ordering::Relaxed) + 1);
        let clock: Arc<NeverBack<dyn Clock>> = Arc::new(NeverBack { number, latest: AtomicU64::new(0), clock });
        custom_clocks().insert(number, Arc::downgrade(&clock));
        Self::Custom(clock)
    }
}

impl TimeSource {
    pub(crate) fn number(&self) -> ClockNumber {
        match self {
            Self::System => ClockNumber::SYSTEM,
            Self::Custom(clock) => clock.number,
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.read().time()
    }

    /// The system's clock, if it is this one.
    pub(crate) fn system(&self) -> Option<SystemClock> {
        match self {
            Self::System => Some(SystemClock(())),
            Self::Custom(_) => None,
        }
    }

    #[inline]
    pub(crate) fn read(&self) -> Reading {
        match self {
            Self::System => Reading::System(SystemClock(()).read()),
            Self::Custom(clock) => Reading::Custom(clock.now()),
        }
    }

    /// Converts a time to seconds since the Unix epoch, given the current time. The origin of a clock of the user's own
    /// counts as that epoch.
    #[cfg(feature = "metrics")]
    pub(crate) fn unix_seconds(&self, time: Time, now: Time) -> f64 {
        match self {
            Self::System => {
                let unix_now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
                unix_now - now.since(time).as_secs_f64()
            }
            Self::Custom(_) => Duration::from_nanos(time.0).as_secs_f64(),
        }
    }
}

/// The clock of a registry or circuit that has no other one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock(());

impl SystemClock {
    #[expect(clippy::unused_self, reason = "with another clock there is no `self`")]
    #[inline]
    pub(crate) fn read(self) -> Instant {
        Instant::now()
    }
}

/// A reading of a clock. That of the system's clock is cheaper to take and to compare than a [`Time`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    System(Instant),
    Custom(Time),
}

impl Reading {
    pub(crate) fn time(self) -> Time {
        match self {
            Self::System(instant) => Time::since_origin(instant.saturating_duration_since(origin())),
            Self::Custom(time) => time,
        }
    }

    /// Whether this reading is earlier than another one of the same clock.
    #[inline]
    pub(crate) fn is_before(self, other: Self) -> bool {
        match (self, other) {
            (Self::System(instant), Self::System(other)) => instant < other,
            (Self::Custom(time), Self::Custom(other)) => time < other,
            _ => false,
        }
    }

    /// This reading plus a duration, or this reading where that is out of range.
    pub(crate) fn after(self, wait: Duration) -> Self {
        match self {
            Self::System(instant) => Self::System(instant.checked_add(wait).unwrap_or(instant)),
            Self::Custom(time) => Self::Custom(time.after(wait)),
        }
    }
}

/// The origin: earlier than every reading of the system's clock in this process.
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

/// A time in nanoseconds since the origin of the clock. It saturates after 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time(u64);

impl Time {
    pub(crate) const ORIGIN: Self = Self(0);
    /// Later than every time that a clock can return, so that an endless wait stays endless.
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

    /// This time plus a duration, or [`Time::NEVER`] where that is out of range.
    pub(crate) fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(nanos(wait)))
    }

    /// This time plus nanoseconds. An end out of range is earlier than this time.
    #[inline]
    pub(crate) fn wrapping_after(self, nanos: u64) -> Self {
        Self(self.0.wrapping_add(nanos))
    }

    /// The duration since `earlier`; zero where `earlier` is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.nanos_since(earlier))
    }

    /// The same in nanoseconds.
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
    fn no_instant_of_a_clock_is_never() {
        // Fails when `since_origin` is not capped, because an endless cooldown would then end at the largest time.
        assert!(TimeSource::from(EndOfTime).now() < Time::NEVER);
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Time::from_nanos(5).after(Duration::MAX), Time::NEVER);
        assert_eq!(Time::from_nanos(5).since(Time::from_nanos(9)), Duration::ZERO);
    }

    #[test]
    fn a_number_finds_its_clock_while_it_exists() {
        let time = TimeSource::from(EndOfTime);
        let number = time.number();
        assert_eq!(number.now(), Some(time.now()));
        assert_ne!(number, TimeSource::from(EndOfTime).number());
        drop(time);
        assert_eq!(number.now(), None);
        assert!(!custom_clocks().contains_key(&number));
        assert!(TimeSource::System.number().now().is_some());
    }

    #[test]
    fn the_system_clock_moves_forward() {
        let first = TimeSource::System.now();
        assert!(TimeSource::System.now() >= first);
    }
}
