//! How a circuit stands to those outside of it.

use crate::sync::{AtomicU64, Ordering};

/// Whether the registry lists the circuit, whether a thread's cache may have a handle to it, and how many calls were
/// rejected: two flags with a count above them, in one word, for each circuit has one.
pub(super) struct Flags(AtomicU64);

/// Cleared once the registry was told to forget the circuit while somebody still held a handle.
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

    /// Says what it was before.
    pub(super) fn set_cached(&self, cached: bool) -> bool {
        self.set(CACHED, cached, Ordering::AcqRel)
    }

    pub(super) fn add_rejection(&self) {
        // At a billion a second this takes a lifetime to run out of its 62 bits.
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
    fn flags_and_count_leave_each_other_alone() {
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
