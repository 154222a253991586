//! The failure rate of a circuit within a sliding window.

use std::time::Duration;

use crate::clock::Time;
use crate::config::FailureRate;

/// The window slides by one bucket, a sixteenth of its length, at a time.
const BUCKETS: u8 = 16;
/// The limit of a bucket, chosen so that the sums of all buckets do not overflow.
const FULL: u32 = u32::MAX / BUCKETS as u32;

/// Calls and failures in a ring of buckets, with fixed memory and constant time.
#[derive(Debug, Default)]
pub(super) struct Rate {
    buckets: [Bucket; BUCKETS as usize],
    total: Bucket,
    /// The number of the newest bucket, counted from the origin of the clock.
    newest: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    calls: u32,
    failures: u32,
}

impl Rate {
    /// Counts one call.
    pub(super) fn add(&mut self, limit: &FailureRate, failed: bool, now: Time) {
        self.slide_to(bucket_number(limit.window, now));
        let newest = &mut self.buckets[slot(self.newest)];
        // A full bucket ignores further calls entirely, so that the totals remain the sums of the buckets.
        if newest.calls < FULL {
            newest.add(failed);
            self.total.add(failed);
        }
    }

    /// Whether there were enough calls and the ratio of failures is reached.
    pub(super) fn exceeds(&self, limit: &FailureRate) -> bool {
        let Bucket { calls, failures } = self.total;
        // The quotient 55 / 100 equals `0.55` exactly, while the product `0.55 * 100` is slightly more than 55.
        calls >= limit.minimum_calls && f64::from(failures) / f64::from(calls) >= limit.ratio
    }

    fn slide_to(&mut self, number: u64) {
        // If the clock goes back, the call counts in the newest bucket.
        let steps = number.saturating_sub(self.newest);
        if steps >= u64::from(BUCKETS) {
            *self = Self { newest: number, ..Self::default() };
            return;
        }
        for _ in 0..steps {
            self.newest += 1;
            let oldest = &mut self.buckets[slot(self.newest)];
            self.total.calls -= oldest.calls;
            self.total.failures -= oldest.failures;
            *oldest = Bucket::default();
        }
    }
}

impl Bucket {
    fn add(&mut self, failed: bool) {
        self.calls += 1;
        self.failures += u32::from(failed);
    }
}

/// The index of a bucket in the ring.
fn slot(number: u64) -> usize {
    // Below sixteen, so it fits in any `usize`.
    usize::try_from(number % u64::from(BUCKETS)).unwrap_or_default()
}

fn bucket_number(window: Duration, now: Time) -> u64 {
    let width = (window.as_nanos() / u128::from(BUCKETS)).max(1);
    u64::try_from(u128::from(now.as_nanos()) / width).unwrap_or(u64::MAX)
}
