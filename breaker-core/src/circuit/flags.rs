//! The flags of a circuit and its count of rejections, in one word.

use crate::sync::{AtomicU64, Ordering};

/// Two flags, with the number of rejected calls in the bits above them. They share one word because every circuit has
/// them.
///
/// | bits | meaning | set by | cleared by |
/// |---|---|---|---|
/// | 0 | the registry lists the circuit | creation, and each look-up in the map | `Registry::remove` |
/// | 1 | the circuit counts in stripes | the first thread that meets another one at its counts | never |
/// | 2 to 63 | rejected calls, without those in stripes | each rejection | never |
pub(super) struct Flags(AtomicU64);

const LISTED: u64 = 1;
const STRIPED: u64 = 2;
const ONE_REJECTION: u64 = 4;

impl Flags {
    /// The flags of a new circuit, which the registry lists.
    pub(super) fn listed() -> Self {
        Self(AtomicU64::new(LISTED))
    }

    // `Relaxed` is enough for `LISTED`. The lock of the circuit's shard orders the look-ups in the map, which set the
    // flag, and the removals, which act on it.

    #[inline]
    pub(super) fn is_listed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & LISTED != 0
    }

    pub(super) fn mark_listed(&self) {
        self.0.fetch_or(LISTED, Ordering::Relaxed);
    }

    pub(super) fn mark_removed(&self) {
        self.0.fetch_and(!LISTED, Ordering::Relaxed);
    }

    // `Relaxed` is enough for `STRIPED`, too. A snapshot that reads the old flag misses what other threads are counting.

    #[inline]
    pub(super) fn is_striped(&self) -> bool {
        self.0.load(Ordering::Relaxed) & STRIPED != 0
    }

    pub(super) fn mark_striped(&self) {
        self.0.fetch_or(STRIPED, Ordering::Relaxed);
    }

    /// Counts a rejection. Returns `false` if it has to be counted in a stripe: the circuit does so already, or another
    /// thread has written the word at the same moment.
    #[inline]
    pub(super) fn add_rejection(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        // At a billion rejections a second, 62 bits last for 146 years.
        let after = before.wrapping_add(ONE_REJECTION);
        before & STRIPED == 0 && self.0.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    pub(super) fn rejections(&self) -> u64 {
        self.0.load(Ordering::Relaxed) / ONE_REJECTION
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_flag_and_the_count_do_not_affect_each_other() {
        let flags = Flags::listed();
        flags.add_rejection();
        flags.mark_removed();
        flags.add_rejection();
        assert!(!flags.is_listed());
        assert_eq!(flags.rejections(), 2);
        flags.mark_listed();
        assert!(flags.is_listed());
        assert_eq!(flags.rejections(), 2);
    }
}
