//! The share of failed calls within a sliding window.

use std::time::Duration;

use crate::clock::Time;
use crate::config::FailureRate;

/// The window slides by a sixteenth of its length at a time.
const BUCKETS: u8 = 16;
/// A bucket counts so far, so that the sums of all buckets stay in range.
const FULL: u32 = u32::MAX / BUCKETS as u32;

/// Calls and failures in a ring of buckets: fixed memory, constant time.
#[derive(Debug, Default)]
pub(super) struct Rate {
    buckets: [Bucket; BUCKETS as usize],
    total: Bucket,
    /// The number of the newest bucket since the clock's origin.
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
        // A full bucket drops further calls whole, so that the sums stay the sums of the buckets.
        if newest.calls < FULL {
            newest.add(failed);
            self.total.add(failed);
        }
    }

    /// Whether enough of enough calls failed.
    pub(super) fn exceeds(&self, limit: &FailureRate) -> bool {
        let Bucket { calls, failures } = self.total;
        // Divided, 55 of 100 is the very number that `0.55` is; the product of that and 100 is a little more than 55.
        calls >= limit.minimum_calls && f64::from(failures) / f64::from(calls) >= limit.ratio
    }

    fn slide_to(&mut self, number: u64) {
        // A clock that went back changes nothing: the call counts as one of now.
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

/// Where in the ring the bucket of this number is.
fn slot(number: u64) -> usize {
    // Less than sixteen, so it fits whatever the width of a pointer.
    usize::try_from(number % u64::from(BUCKETS)).unwrap_or_default()
}

fn bucket_number(window: Duration, now: Time) -> u64 {
    let width = (window.as_nanos() / u128::from(BUCKETS)).max(1);
    u64::try_from(u128::from(now.as_nanos()) / width).unwrap_or(u64::MAX)
}
