//! `ManualClock`: a clock that a test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Clock;

/// A clock that moves only when [`advance`](Self::advance) is called.
///
/// Clones share one time, so a test keeps one clone and passes another to the registry.
///
/// ```
/// use std::time::Duration;
/// use breaker_core::{Registry, State, testing::ManualClock};
///
/// let clock = ManualClock::new();
/// let registry = Registry::builder().clock(clock.clone()).build()?;
/// let circuit = registry.circuit("shop-7");
///
/// circuit.trip();
/// assert_eq!(circuit.state(), State::Open);
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(circuit.state(), State::HalfOpen);
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock {
    nanos: Arc<AtomicU64>,
}

impl ManualClock {
    /// Creates a clock at its origin.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward. The clock saturates at the end of its range, 584 years.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let add = |now: u64| Some(now.saturating_add(by));
        // The closure always returns `Some`, so the update never fails.
        let _ = self.nanos.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_time_and_saturate() {
        let clock = ManualClock::new();
        let other = clock.clone();
        clock.advance(Duration::from_secs(3));
        assert_eq!(other.now(), Duration::from_secs(3));
        other.advance(Duration::MAX);
        other.advance(Duration::MAX);
        assert_eq!(clock.now(), Duration::from_nanos(u64::MAX));
    }
}
