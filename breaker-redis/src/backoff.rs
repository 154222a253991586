//! Random waits: back-off between attempts, and jitter of intervals.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// Waits that double up to one second, each shortened at random, so that the processes of a fleet do not reconnect at
/// the same moment.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { next: FIRST }
    }

    pub(crate) fn reset(&mut self) {
        self.next = FIRST;
    }

    pub(crate) fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = (wait * 2).min(LONGEST);
        wait.mul_f64(0.5 + 0.5 * chance())
    }
}

/// Returns an interval that is up to a quarter longer or shorter at random.
pub(crate) fn jittered(interval: Duration) -> Duration {
    interval.mul_f64(0.75 + 0.5 * chance())
}

/// Returns a random number: every `RandomState` has other keys.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns a number from 0 to 1.
fn chance() -> f64 {
    f64::from(u32::try_from(random() >> 32).unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_second_with_jitter() {
        let mut backoff = Backoff::new();
        let waits: Vec<_> = (0..50).map(|_| backoff.wait()).collect();
        assert!((FIRST / 2..=FIRST).contains(&waits[0]), "{waits:?}");
        assert!(waits[10..].iter().all(|wait| (LONGEST / 2..=LONGEST).contains(wait)), "{waits:?}");
        assert!(waits[10..].iter().any(|wait| *wait != waits[10]), "{waits:?}");
        backoff.reset();
        assert!(backoff.wait() <= FIRST);
    }

    #[test]
    fn an_interval_varies_by_at_most_a_quarter() {
        let second = Duration::from_secs(1);
        assert!((0..1_000).map(|_| jittered(second)).all(|wait| (second * 3 / 4..=second * 5 / 4).contains(&wait)));
    }
}
