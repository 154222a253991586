//! The cache of recently used circuits of each thread.
//!
//! A look-up in the map writes memory that all threads share: the lock of a part and the reference count of the
//! circuit. With the cache, the calls of a thread find the circuits that it calls often without a lock, and they share a
//! handle with few other threads: see [`GROUPS`].
//!
//! A cache refers to a handle only weakly, so it keeps no circuit alive, and no other thread ever touches it. `Part`
//! explains why a key has one circuit all the same.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::cache_key::CacheKey;
use super::part::GROUPS;
use crate::circuit::CachedHandle;
use crate::clock::Time;

/// The number of sets. It is enough for the circuits that one thread calls often, and takes 8 KiB for each thread.
const SETS: usize = 32;
/// Enough that a hundred keys rarely displace each other.
const WAYS: usize = 8;
/// One miss of this many replaces an entry in use. If each one did, keys that are used once would replace keys that are
/// used often, and keys that are used in turn would replace each other before they are used again.
const MISSES_PER_REPLACEMENT: u32 = 64;
/// How long a thread uses one conversion of the system's clock, which takes longer than the rest of a look-up.
pub(super) const TICK: Duration = Duration::from_micros(500);

thread_local! {
    // Without a destructor, so that a look-up need not know whether the destructor has run: see `Owner`.
    static CACHE: Cell<ManuallyDrop<Option<Box<Cache>>>> = const { Cell::new(ManuallyDrop::new(None)) };
    static OWNER: Owner = const { Owner };
}

/// Drops the cache at the end of its thread.
struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        // No code of the user's runs here, because a cache refers to circuits only weakly.
        let _ = CACHE.try_with(|cache| drop(ManuallyDrop::into_inner(cache.take())));
    }
}

/// The cache of one thread, which is created at its first look-up.
struct Cache {
    group: Group,
    /// The number of look-ups that missed the cache.
    misses: u32,
    /// The latest conversion of the system's clock, and until when it is used.
    tick: Option<(Instant, Time)>,
    sets: [Set; SETS],
}

/// The entries for all keys whose hashes select the same set.
type Set = [CachedEntry; WAYS];

/// An entry, or an empty one, whose reference leads nowhere.
#[derive(Default)]
struct CachedEntry {
    key: CacheKey,
    handle: Weak<CachedHandle>,
}

/// What a cache contains for a key.
pub(super) enum Found {
    /// A handle. With it, its circuit is in use and cannot be evicted.
    Usable(Arc<CachedHandle>),
    /// A handle that is not usable.
    Unusable(Arc<CachedHandle>, Time),
    /// No handle.
    Nothing(CacheKey, Time, Option<Group>),
    /// Unknown, because another tick has to be started, or this thread cannot use its cache at present.
    Unknown,
}

/// The number of a group of threads.
pub(super) type Group = NonZeroUsize;

impl CachedEntry {
    /// Whether a key can get this entry at the cost of no other one: it is empty, or its circuit was evicted, or it is the
    /// one of this key.
    #[inline]
    fn is_free_for(&self, key: CacheKey) -> bool {
        self.key == key || self.handle.strong_count() == 0
    }
}

impl Cache {
    fn new() -> Box<Self> {
        static LATEST: AtomicUsize = AtomicUsize::new(0);
        // Threads that start one after the other are in different groups, and most programs have few that call often.
        let group = Group::MIN.saturating_add(LATEST.fetch_add(1, Ordering::Relaxed) % GROUPS);
        Box::new(Self { group, misses: 0, tick: None, sets: std::array::from_fn(|_| Set::default()) })
    }

    #[inline]
    fn set(&mut self, key: CacheKey) -> &mut Set {
        // Keys that differ in few bits often have equal high bits in their hash. A product mixes in the others.
        &mut self.sets[(key.hash().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 59) as usize % SETS]
    }

    /// The time of a reading of the system's clock, at most one [`TICK`] old.
    #[inline]
    fn time_of(&self, now: Instant) -> Option<Time> {
        match self.tick {
            Some((until, time)) if now < until => Some(time),
            _ => None,
        }
    }

    #[expect(clippy::inline_always, reason = "every call by key needs the cache")]
    #[inline(always)]
    fn find(&mut self, key: CacheKey, now: Time, is_usable: impl FnOnce(&CachedHandle, Time) -> bool) -> Found {
        let entry = self.set(key).iter().find(|entry| entry.key == key);
        match entry.and_then(|entry| entry.handle.upgrade()) {
            Some(handle) if is_usable(&handle, now) => Found::Usable(handle),
            Some(handle) => Found::Unusable(handle, now),
            None => {
                let has_entry = entry.is_some();
                Found::Nothing(key, now, self.miss(key, has_entry))
            }
        }
    }

    /// Records a miss. Returns the group of this thread if the key should get an entry: if it has one, which leads to
    /// another circuit or nowhere, or if one is free.
    #[inline]
    fn miss(&mut self, key: CacheKey, has_entry: bool) -> Option<Group> {
        self.misses = self.misses.wrapping_add(1);
        let misses = self.misses;
        // Each miss looks at one entry, because the state of an entry is in a part of the memory that is rarely used. Fibonacci
        // hashing selects it, so that keys that are missed in turn look at another one each time.
        let way = (misses.wrapping_mul(0x9E37_79B9) >> 29) as usize;
        let may_insert =
            has_entry || misses % MISSES_PER_REPLACEMENT == 0 || self.set(key)[way % WAYS].is_free_for(key);
        may_insert.then_some(self.group)
    }
}

/// Calls a function with the cache of this thread, if it has one. The function calls no code of the user's, so that no other
/// look-up takes the place of the cache meanwhile.
#[expect(clippy::inline_always, reason = "every call by key needs the cache")]
#[inline(always)]
fn with_cache<T>(run: impl FnOnce(&mut Cache) -> Option<T>) -> Option<T> {
    // Unlike `with`, `try_with` is inlined.
    CACHE
        .try_with(|place| {
            let mut cache = ManuallyDrop::into_inner(place.take())?;
            let result = run(&mut cache);
            place.set(ManuallyDrop::new(Some(cache)));
            result
        })
        .ok()?
}

/// Creates the cache of this thread, unless it has one.
fn create() {
    // A cache that is created after the destructor of `OWNER` has run would not be dropped.
    let may_create = OWNER.try_with(|_| ()).is_ok() && with_cache(|_| Some(())).is_none();
    if may_create {
        let _ = CACHE.try_with(|place| place.set(ManuallyDrop::new(Some(Cache::new()))));
    }
}

/// Returns what this thread has cached for a key, at a reading of the system's clock. The key is made after the time is known,
/// so that fewer values are needed at a time.
#[expect(clippy::inline_always, reason = "every call by key needs the cache")]
#[inline(always)]
pub(super) fn find_at(
    now: Instant,
    key: impl FnOnce() -> Option<CacheKey>,
    is_usable: impl FnOnce(&CachedHandle, Time) -> bool,
) -> Found {
    let find = |cache: &mut Cache| {
        let now = cache.time_of(now)?;
        Some(cache.find(key()?, now, is_usable))
    };
    with_cache(find).unwrap_or(Found::Unknown)
}

/// Returns what this thread has cached for a key.
pub(super) fn find(key: CacheKey, now: Time, is_usable: impl FnOnce(&CachedHandle, Time) -> bool) -> Found {
    create();
    with_cache(|cache| Some(cache.find(key, now, is_usable))).unwrap_or(Found::Unknown)
}

/// Records that a handle that was found is not the one of the key, or that its circuit is idle. Returns the group of this
/// thread, because the key should get the entry.
pub(super) fn note_wrong_handle(key: CacheKey) -> Option<Group> {
    with_cache(|cache| cache.miss(key, true))
}

/// Starts another tick with this reading of the system's clock.
pub(super) fn start_tick(now: Instant, time: Time) {
    create();
    with_cache(|cache| {
        cache.tick = Some((now.checked_add(TICK)?, time));
        Some(())
    });
}

/// Inserts a reference to the handle that the group of this thread shares.
pub(super) fn insert(key: CacheKey, handle: &Arc<CachedHandle>) {
    with_cache(|cache| {
        let any = (cache.misses / MISSES_PER_REPLACEMENT) as usize % WAYS;
        let set = cache.set(key);
        let same = set.iter().position(|entry| entry.key == key);
        let free = || set.iter().position(|entry| entry.is_free_for(key));
        let chosen = same.or_else(free).unwrap_or(any);
        set[chosen] = CachedEntry { key, handle: Arc::downgrade(handle) };
        Some(())
    });
}
