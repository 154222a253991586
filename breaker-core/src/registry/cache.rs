//! The cache of recently used circuits of each thread.
//!
//! A look-up in the map writes memory that all threads share: the lock of a part and the reference count of the
//! circuit. With the cache, the calls of a thread find the circuits that it calls often without a lock, and they share a
//! handle with few other threads: see [`GROUPS`].
//!
//! A cache refers to a handle only weakly, so it keeps no circuit alive, and no other thread ever touches it. `Part`
//! explains why a key has one circuit all the same.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use super::eviction::Eviction;
use super::part::GROUPS;
use super::same_bytes::same_bytes;
use crate::circuit::{CachedHandle, Circuit, CircuitContext};
use crate::clock::{Reading, Time};

/// The number of sets. It is enough for the circuits that one thread calls often, and takes 8 KiB for each thread.
const SETS: usize = 128;
const WAYS: usize = 2;
/// One miss of this many replaces an entry in use. If each one did, keys that are used once would replace keys that are
/// used often, and keys that are used in turn would replace each other before they are used again.
const MISSES_PER_REPLACEMENT: u32 = 64;

thread_local! {
    static CACHE: RefCell<Option<Box<Cache>>> = const { RefCell::new(None) };
}

/// The cache of one thread, which is created when the thread finds a circuit in the map.
struct Cache {
    group: usize,
    /// The number of look-ups that missed the cache.
    misses: u32,
    sets: [Set; SETS],
}

/// The entries for all keys whose hashes select the same set.
type Set = [CachedEntry; WAYS];

/// An entry, or an empty one, whose reference leads nowhere.
struct CachedEntry {
    hash: u64,
    handle: Weak<CachedHandle>,
    /// Until this time, the recorded last use of the circuit is precise enough.
    touched_until: Cell<Reading>,
}

/// The key of an entry: the key of a connection in one registry.
#[derive(Clone, Copy)]
pub(super) struct CacheKey<'k> {
    /// The hash of the key in the map of the registry.
    pub(super) hash: u64,
    pub(super) bytes: &'k [u8],
    /// The context of the registry, which identifies its circuits: a cache has circuits of all registries.
    pub(super) context: &'k Arc<CircuitContext>,
}

impl CacheKey<'_> {
    /// Whether a circuit is the one of this key. A circuit that was removed during a call is listed again by a look-up in
    /// the map.
    #[inline]
    fn matches(self, circuit: &Circuit) -> bool {
        circuit.inner().is_in(self.context)
            && circuit.inner().is_listed()
            && same_bytes(circuit.connection().as_bytes(), self.bytes)
    }
}

impl Default for CachedEntry {
    fn default() -> Self {
        Self { hash: 0, handle: Weak::new(), touched_until: Cell::new(Reading::Custom(Time::ORIGIN)) }
    }
}

impl CachedEntry {
    /// Whether a key can get this entry at the cost of no other one: it is empty, or its circuit was evicted, or it is the
    /// one of this key.
    #[inline]
    fn is_free_for(&self, hash: u64) -> bool {
        self.hash == hash || self.handle.strong_count() == 0
    }
}

impl Cache {
    fn new() -> Box<Self> {
        static LATEST: AtomicUsize = AtomicUsize::new(0);
        // Threads that start one after the other are in different groups, and most programs have few that call often.
        let group = LATEST.fetch_add(1, Ordering::Relaxed) % GROUPS;
        Box::new(Self { group, misses: 0, sets: std::array::from_fn(|_| Set::default()) })
    }
}

/// The index of the set for a hash.
#[inline]
fn index(hash: u64) -> usize {
    // The hasher mixes the high bits best.
    (hash >> 57) as usize % SETS
}

/// Returns the handle that this thread has cached, and records the use of the circuit. Returns `None` if the map must
/// be asked: the circuit is not cached, it is idle, or it was removed.
#[inline]
pub(super) fn find(key: CacheKey<'_>, eviction: &Eviction, now: Reading) -> Option<Arc<CachedHandle>> {
    let find = |cache: &RefCell<Option<Box<Cache>>>| {
        // It is borrowed already if the destructor of a circuit makes a call.
        let cache = cache.try_borrow().ok()?;
        let ways = &cache.as_ref()?.sets[index(key.hash)];
        // Two keys with one hash are so rare that the second one may be looked up in the map.
        let entry = ways.iter().find(|entry| entry.hash == key.hash)?;
        // With this handle, the circuit is in use and cannot be evicted.
        let handle = entry.handle.upgrade()?;
        if !key.matches(handle.circuit()) {
            return None;
        }
        if !now.is_before(entry.touched_until.get()) {
            entry.touched_until.set(eviction.touch(handle.circuit(), now)?);
        }
        Some(handle)
    };
    // The cache no longer exists while the destructors of thread locals run.
    CACHE.try_with(find).ok()?
}

/// Records a look-up that missed the cache. Returns the group of this thread if the key should get an entry.
#[inline]
pub(super) fn note_miss(hash: u64) -> Option<usize> {
    let note = |cache: &RefCell<Option<Box<Cache>>>| {
        let mut cache = cache.try_borrow_mut().ok()?;
        let cache = cache.get_or_insert_with(Cache::new);
        cache.misses = cache.misses.wrapping_add(1);
        let may_replace = cache.misses % MISSES_PER_REPLACEMENT == 0;
        let has_free = || cache.sets[index(hash)].iter().any(|entry| entry.is_free_for(hash));
        (may_replace || has_free()).then_some(cache.group)
    };
    CACHE.try_with(note).ok()?
}

/// Inserts a reference to the handle that the group of this thread shares.
pub(super) fn insert(hash: u64, handle: &Arc<CachedHandle>, touched_until: Reading) {
    let _ = CACHE.try_with(|cache| {
        let Ok(mut cache) = cache.try_borrow_mut() else { return };
        let Some(cache) = &mut *cache else { return };
        let ways = &mut cache.sets[index(hash)];
        let least_recently_touched = || {
            let [first, second] = &*ways;
            usize::from(second.touched_until.get().is_before(first.touched_until.get()))
        };
        let way = ways.iter().position(|entry| entry.is_free_for(hash)).unwrap_or_else(least_recently_touched);
        ways[way] = CachedEntry { hash, handle: Arc::downgrade(handle), touched_until: Cell::new(touched_until) };
    });
}
