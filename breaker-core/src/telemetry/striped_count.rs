//! A count that many threads increase at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::Striped;

/// A count in one word until two threads meet there, and from then on also in stripes, of which each is used by few threads.
///
/// Threads that increase one word in turn pass its line from cache to cache, so that several threads make fewer calls than
/// one. Most circuits are never called by two threads at the same moment, and need no stripes.
#[derive(Debug, Default)]
pub(super) struct StripedCount {
    first: AtomicU64,
    stripes: OnceLock<Box<Striped<AtomicU64>>>,
}

impl StripedCount {
    #[inline]
    pub(super) fn increase(&self) {
        match self.stripes.get() {
            Some(stripes) => increase_stripe(stripes),
            None => {
                let count = self.first.load(Ordering::Relaxed);
                let written = self.first.compare_exchange(count, count + 1, Ordering::Relaxed, Ordering::Relaxed);
                if written.is_err() {
                    self.increase_new_stripe();
                }
            }
        }
    }

    /// Another thread has increased the count at the same moment.
    #[cold]
    fn increase_new_stripe(&self) {
        increase_stripe(self.stripes.get_or_init(Box::default));
    }

    /// Returns the count since the last call.
    pub(super) fn take(&self) -> u64 {
        let words = self.stripes.get().into_iter().flat_map(|stripes| stripes.all()).chain([&self.first]);
        words.map(|word| word.swap(0, Ordering::Relaxed)).sum()
    }
}

#[inline]
fn increase_stripe(stripes: &Striped<AtomicU64>) {
    stripes.of_this_thread().fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    // Fails if an increase is lost where two threads meet, or a stripe is never taken.
    #[test]
    fn every_increase_is_taken_once() {
        const EACH: u64 = 50_000;
        let count = StripedCount::default();
        let mut taken = 0;
        thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| (0..EACH).for_each(|_| count.increase()))).collect();
            while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
                taken += count.take();
            }
        });
        count.increase_new_stripe();
        assert_eq!(taken + count.take(), 3 * EACH + 1);
        assert_eq!(count.take(), 0);
    }
}
