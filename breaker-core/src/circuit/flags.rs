//! Flags and the count of rejections, in one word.

use crate::sync::{AtomicU64, Ordering};

/// Two flags below a count: whether the registry lists the circuit, whether a thread's cache may hold a handle to it,
/// and the number of rejected calls. They share one word because every circuit has them.
pub(super) struct Flags(AtomicU64);

/// Cleared when the registry removed the circuit while a handle was still held.
const LISTED: u64 = 1;
const CACHED: u64 = 2;
const ONE_REJECTION: u64 = 4;

impl Flags {
    pub(super) fn of_a_listed_circuit() -> Self {
        Self(AtomicU64::new(LISTED))
    }

    pub(super) fn is_listed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & LISTED != 0
    }

    pub(super) fn set_listed(&self, listed: bool) {
        self.set(LISTED, listed, Ordering::Relaxed);
    }

    /// Returns the previous value.
    pub(super) fn set_cached(&self, cached: bool) -> bool {
        self.set(CACHED, cached, Ordering::AcqRel)
    }

    pub(super) fn add_rejection(&self) {
        // At a billion rejections a second, 62 bits last for 146 years.
        self.0.fetch_add(ONE_REJECTION, Ordering::Relaxed);
    }

    pub(super) fn rejections(&self) -> u64 {
        self.0.load(Ordering::Relaxed) / ONE_REJECTION
    }

    fn set(&self, flag: u64, on: bool, ordering: Ordering) -> bool {
        let before = if on { self.0.fetch_or(flag, ordering) } else { self.0.fetch_and(!flag, ordering) };
        before & flag != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_flags_and_the_count_do_not_change_each_other() {
        let relations = Flags::of_a_listed_circuit();
        assert!(!relations.set_cached(true));
        relations.add_rejection();
        relations.set_listed(false);
        relations.add_rejection();
        assert!(relations.set_cached(false));
        assert!(!relations.set_cached(false));
        assert!(!relations.is_listed());
        assert_eq!(relations.rejections(), 2);
        relations.set_listed(true);
        assert!(relations.is_listed());
        assert_eq!(relations.rejections(), 2);
    }
}
