//! Flags of a circuit and its count of rejections, in one word.

use crate::sync::{AtomicU64, Ordering};

/// Two flags, with the number of rejected calls in the bits above them. They share one word because every circuit has
/// them.
///
/// | bits | meaning | set by | cleared by |
/// |---|---|---|---|
/// | 0 | the registry lists the circuit | creation, and each look-up in the map | `Registry::remove` |
/// | 1 | the cache of a thread may have a handle | insertion into a cache | eviction from all caches |
/// | 2 to 63 | rejected calls | each rejection | never |
pub(super) struct Flags(AtomicU64);

const LISTED: u64 = 1;
const CACHED: u64 = 2;
const ONE_REJECTION: u64 = 4;

impl Flags {
    /// The flags of a new circuit, which the registry lists.
    pub(super) fn listed() -> Self {
        Self(AtomicU64::new(LISTED))
    }

    // `Relaxed` is enough for `LISTED`. The lock of the circuit's shard orders the look-ups in the map, which set the
    // flag, and the removals, which act on it.

    pub(super) fn is_listed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & LISTED != 0
    }

    pub(super) fn mark_listed(&self) {
        self.0.fetch_or(LISTED, Ordering::Relaxed);
    }

    pub(super) fn mark_removed(&self) {
        self.0.fetch_and(!LISTED, Ordering::Relaxed);
    }

    // `AcqRel` pairs the insertion into a cache with the eviction. A thread registers its cache before it sets the
    // flag, so an eviction that reads the flag as set also finds that cache in the list of caches.

    pub(super) fn mark_cached(&self) {
        self.0.fetch_or(CACHED, Ordering::AcqRel);
    }

    /// Clears the flag and returns whether it was set.
    pub(super) fn take_cached(&self) -> bool {
        self.0.fetch_and(!CACHED, Ordering::AcqRel) & CACHED != 0
    }

    pub(super) fn add_rejection(&self) {
        // At a billion rejections a second, 62 bits last for 146 years.
        self.0.fetch_add(ONE_REJECTION, Ordering::Relaxed);
    }

    pub(super) fn rejections(&self) -> u64 {
        self.0.load(Ordering::Relaxed) / ONE_REJECTION
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_flags_and_the_count_do_not_affect_each_other() {
        let flags = Flags::listed();
        assert!(!flags.take_cached());
        flags.mark_cached();
        flags.add_rejection();
        flags.mark_removed();
        flags.add_rejection();
        assert!(flags.take_cached());
        assert!(!flags.take_cached());
        assert!(!flags.is_listed());
        assert_eq!(flags.rejections(), 2);
        flags.mark_listed();
        assert!(flags.is_listed());
        assert_eq!(flags.rejections(), 2);
    }
}
