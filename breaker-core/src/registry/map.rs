//! The map of a registry: its circuits by key, in parts with a lock each.

use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::fast::RandomState;

use super::cache_key::{CacheKey, Secrets};
use super::part::Part;
use crate::circuit::Circuit;

/// The circuits of a part, on average, when the registry is at its capacity. Listings visit a part under its lock, and an
/// insert may enlarge its table, so this limits how long another call waits.
const CIRCUITS_OF_A_PART: usize = 512;
/// Enough for two threads to want the same part rarely.
const LEAST_PARTS: usize = 16;
/// Limits the memory of a registry whose capacity is as good as unlimited.
const MOST_PARTS: usize = 4_096;

pub(super) struct CircuitMap {
    hasher: RandomState,
    secrets: Secrets,
    /// A power of two.
    parts: Box<[RwLock<Part>]>,
    len: AtomicUsize,
}

impl CircuitMap {
    pub(super) fn new(capacity: usize) -> Self {
        let parts = (capacity / CIRCUITS_OF_A_PART).clamp(LEAST_PARTS, MOST_PARTS).next_power_of_two();
        let hasher = RandomState::default();
        Self {
            secrets: Secrets::new([hasher.hash_one(0), hasher.hash_one(1)]),
            hasher,
            parts: (0..parts).map(|_| RwLock::default()).collect(),
            len: AtomicUsize::new(0),
        }
    }

    /// The number of circuits, idle or not.
    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub(super) fn hash(&self, key: &[u8]) -> u64 {
        self.cache_key(key).hash()
    }

    pub(super) fn cache_key(&self, key: &[u8]) -> CacheKey {
        self.short_cache_key(key).unwrap_or_else(|| self.long_cache_key(key))
    }

    #[inline]
    pub(super) fn short_cache_key(&self, key: &[u8]) -> Option<CacheKey> {
        self.secrets.short_key(key)
    }

    pub(super) fn long_cache_key(&self, key: &[u8]) -> CacheKey {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(key);
        self.secrets.long_key(hasher.finish())
    }

    pub(super) fn hash_of(&self, circuit: &Circuit) -> u64 {
        self.hash(circuit.connection().as_bytes())
    }

    #[inline]
    pub(super) fn parts(&self) -> &[RwLock<Part>] {
        &self.parts
    }

    /// Locks the part of a hash for reading.
    #[inline]
    pub(super) fn read(&self, hash: u64) -> RwLockReadGuard<'_, Part> {
        read(&self.parts[self.index(hash)])
    }

    /// Locks the part of a hash for changes.
    pub(super) fn write(&self, hash: u64) -> RwLockWriteGuard<'_, Part> {
        write(&self.parts[self.index(hash)])
    }

    /// The tables of the parts use the highest seven bits and the lowest ones, so the part is selected by others.
    #[inline]
    fn index(&self, hash: u64) -> usize {
        (hash >> 40) as usize & (self.parts.len() - 1)
    }

    /// Inserts a circuit into its part, which has none of the same key.
    pub(super) fn insert(&self, part: &mut Part, hash: u64, circuit: Circuit) {
        part.insert(hash, circuit, |circuit| self.hash_of(circuit));
        self.len.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a circuit from its part: see [`Part::take_unused`]. The caller drops it after it has unlocked the part.
    pub(super) fn take_unused(
        &self,
        part: &mut Part,
        position: usize,
        may_remove: impl FnOnce(&Circuit) -> bool,
    ) -> Option<Circuit> {
        let removed = part.take_unused(position, may_remove)?;
        self.len.fetch_sub(1, Ordering::Relaxed);
        Some(removed)
    }
}

/// Locks a part for reading, even if it is poisoned. Code that runs under these locks never leaves a part half changed.
#[inline]
pub(super) fn read(part: &RwLock<Part>) -> RwLockReadGuard<'_, Part> {
    part.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a part for changes.
pub(super) fn write(part: &RwLock<Part>) -> RwLockWriteGuard<'_, Part> {
    part.write().unwrap_or_else(PoisonError::into_inner)
}
