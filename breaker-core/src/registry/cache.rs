//! The cache of recently used circuits of each thread.
//!
//! A look-up in the map writes memory that all threads share: the lock of a shard and the reference count of the
//! circuit. With the cache, each thread has a handle of its own to each circuit that it calls often, and its calls
//! share that handle.
//!
//! # Why a key still has one circuit
//!
//! A cached handle is an ordinary handle. The registry removes a circuit from the map only while it holds the lock of
//! the circuit's shard and the map has the only handle. So a circuit in a cache is in the map too, and stays the one
//! circuit of its key.
//!
//! A cache must not keep an idle circuit alive. Before the registry decides whether a circuit is in use, it evicts the
//! circuit from all caches. A running call shares the cached handle through an `Arc`, which keeps the circuit in use
//! until the call ends.
//!
//! # The order of the locks
//!
//! | order | lock | protects | taken by |
//! |---|---|---|---|
//! | 0 | `schedule` of the eviction | the progress of the eviction | eviction, with `try_lock` |
//! | 1 | a shard of the map | its circuits, and that no thread gets a handle from it | look-ups in the map, eviction |
//! | 2 | `CACHES` | the list of all caches | the first insertion of a thread, eviction |
//! | 3 | one `Cache` | the entries of one thread | that thread with `try_read` and `try_write`, eviction |
//!
//! A thread that holds the lock of a cache takes no other lock and runs no code of the user's. The owner of a cache
//! never waits for its lock: while an eviction holds it, the owner looks in the map instead. So no two threads can wait
//! for each other, and a call whose circuit is cached waits for no other thread.

use std::array;
use std::cell::OnceCell;
use std::sync::{
    Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, Weak,
};

use super::eviction::Eviction;
use crate::circuit::{CachedHandle, Circuit, CircuitContext};
use crate::clock::Reading;

/// The number of sets. It is enough for the circuits that one thread calls often, and takes 9 KiB for each thread.
const SETS: usize = 128;
/// The entries of a set. There are two, so that one bit of the hash selects the entry to replace.
const WAYS: usize = 2;

/// The caches of all running threads.
static CACHES: Mutex<Vec<Weak<Cache>>> = Mutex::new(Vec::new());

thread_local! {
    static CACHE: OnceCell<Arc<Cache>> = const { OnceCell::new() };
}

/// The cache of one thread. Only its owner reads it, but other threads lock it to evict circuits. It is a `RwLock`
/// because, unlike that of a `Mutex`, the release of a read lock does not check whether the thread panics.
#[repr(align(128))]
struct Cache(RwLock<[Set; SETS]>);

/// The entries for all keys whose hashes select the same set.
#[derive(Default)]
struct Set {
    ways: [Option<CachedEntry>; WAYS],
    /// The hash that was last looked up here and not found. It gets an entry if it is looked up again, so that keys
    /// that are used once neither allocate nor replace keys that are used often.
    candidate: u64,
}

struct CachedEntry {
    hash: u64,
    handle: Arc<CachedHandle>,
    /// Until this time, the recorded last use of the circuit is precise enough.
    touched_until: Reading,
}

/// The key of an entry: the key of a connection in one registry.
#[derive(Clone, Copy)]
pub(super) struct CacheKey<'k> {
    /// The hash of the key's bytes with the hasher of the registry's map. The map itself hashes a `str`, so its hashes
    /// differ.
    pub(super) hash: u64,
    pub(super) bytes: &'k [u8],
    /// The context of the registry, which identifies its circuits: a cache has circuits of all registries.
    pub(super) context: &'k Arc<CircuitContext>,
}

impl CacheKey<'_> {
    #[inline]
    fn matches(self, entry: &CachedEntry) -> bool {
        entry.hash == self.hash
            && entry.handle.circuit().inner().is_in(self.context)
            && same_bytes(entry.handle.circuit().connection().as_bytes(), self.bytes)
    }
}

/// Whether two byte strings are equal. Short ones are compared inline, because a call of `memcmp` costs more than the
/// comparison.
#[inline]
fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // The first and the last bytes are compared. Together they cover all, because they overlap or meet in the middle.
    match one.len() {
        17.. => one == other,
        9.. => one.first_chunk::<8>() == other.first_chunk() && one.last_chunk::<8>() == other.last_chunk(),
        4.. => one.first_chunk::<4>() == other.first_chunk() && one.last_chunk::<4>() == other.last_chunk(),
        1.. => one[0] == other[0] && one[one.len() / 2] == other[one.len() / 2] && one.last() == other.last(),
        0 => true,
    }
}

impl Cache {
    fn new() -> Self {
        Self(RwLock::new(array::from_fn(|_| Set::default())))
    }

    /// Returns `None` while another thread evicts circuits.
    #[inline]
    fn try_read(&self) -> Option<RwLockReadGuard<'_, [Set; SETS]>> {
        unless_busy(self.0.try_read())
    }

    /// Returns `None` while another thread evicts circuits.
    fn try_write(&self) -> Option<RwLockWriteGuard<'_, [Set; SETS]>> {
        unless_busy(self.0.try_write())
    }

    /// Drops the selected entries.
    fn evict(&self, selects: impl Fn(&Circuit) -> bool) {
        let mut sets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for way in sets.iter_mut().flat_map(|set| &mut set.ways) {
            // This never drops the last handle of a circuit, because the map has one too. So no destructor of the
            // user's runs under the lock.
            drop(way.take_if(|entry| selects(entry.handle.circuit())));
        }
    }
}

#[inline]
fn unless_busy<G>(locked: TryLockResult<G>) -> Option<G> {
    match locked {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl Set {
    #[inline]
    fn of(sets: &[Self; SETS], hash: u64) -> &Self {
        &sets[Self::index(hash)]
    }

    fn of_mut(sets: &mut [Self; SETS], hash: u64) -> &mut Self {
        &mut sets[Self::index(hash)]
    }

    #[inline]
    fn index(hash: u64) -> usize {
        // The hasher mixes the high bits best.
        (hash >> 57) as usize % SETS
    }
}

/// Returns the handle that this thread has cached, and records the use of the circuit. Returns `None` if the map must
/// be asked: the circuit is not cached, it is idle, or another thread evicts circuits.
#[inline]
pub(super) fn find(cache_key: CacheKey<'_>, eviction: &Eviction, now: Reading) -> Option<Arc<CachedHandle>> {
    // The cache no longer exists while the destructors of thread locals run.
    let found = CACHE.try_with(|cache| {
        let sets = cache.get()?.try_read()?;
        // Two keys with one hash are so rare that the second one may be looked up in the map.
        let entry = Set::of(&sets, cache_key.hash).ways.iter().flatten().find(|entry| entry.hash == cache_key.hash)?;
        if !cache_key.matches(entry) {
            return None;
        }
        Some((entry.handle.clone(), now.is_before(entry.touched_until)))
    });
    let (handle, is_recorded) = found.ok()??;
    if is_recorded { Some(handle) } else { touch(cache_key.hash, handle, eviction, now) }
}

/// Records the use of a cached circuit. Returns `None` if the circuit is idle. The look-up in the map then decides
/// whether the circuit is evicted.
#[cold]
fn touch(hash: u64, handle: Arc<CachedHandle>, eviction: &Eviction, now: Reading) -> Option<Arc<CachedHandle>> {
    let touched_until = eviction.touch(handle.circuit(), now)?;
    let _ = CACHE.try_with(|cache| {
        let mut sets = cache.get()?.try_write()?;
        let entry = Set::of_mut(&mut sets, hash).ways.iter_mut().flatten().find(|entry| entry.hash == hash)?;
        if Arc::ptr_eq(&entry.handle, &handle) {
            entry.touched_until = touched_until;
        }
        Some(())
    });
    Some(handle)
}

/// Inserts a circuit that was looked up in the map, if it was looked up before. The caller holds the lock of the
/// circuit's shard, so the circuit cannot be evicted meanwhile.
pub(super) fn insert(cache_key: CacheKey<'_>, circuit: &Circuit, now: Reading) {
    // The cache stays empty under loom, because the model checker requires that each run drops all handles.
    if cfg!(loom) {
        return;
    }
    let _ = CACHE.try_with(|cache| {
        let Some(mut sets) = cache.get_or_init(create_cache).try_write() else { return };
        let set = Set::of_mut(&mut sets, cache_key.hash);
        if set.candidate != cache_key.hash {
            set.candidate = cache_key.hash;
            return;
        }
        if set.ways.iter().flatten().any(|entry| cache_key.matches(entry)) {
            return;
        }
        let way = set.ways.iter().position(Option::is_none).unwrap_or(usize::from(cache_key.hash % 2 == 1));
        circuit.inner().mark_cached();
        set.ways[way] = Some(CachedEntry {
            hash: cache_key.hash,
            handle: Arc::new(CachedHandle::new(circuit.clone())),
            touched_until: now,
        });
    });
}

/// Creates the cache of this thread and adds it to the list of caches.
fn create_cache() -> Arc<Cache> {
    let cache = Arc::new(Cache::new());
    let mut caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    caches.retain(|cache| cache.strong_count() > 0);
    caches.push(Arc::downgrade(&cache));
    cache
}

/// Evicts a circuit from all caches. Running calls that share a cached handle keep it until they end.
pub(super) fn evict(circuit: &Circuit) {
    // An insertion sets the flag while it holds the lock of its cache. So either the flag is set by now and the loop
    // below waits for that lock and finds the entry, or the flag is set later and the next eviction finds the entry.
    if circuit.inner().take_cached() {
        evict_where(|cached| cached == circuit);
    }
}

/// Evicts all circuits of one registry from all caches.
pub(super) fn evict_all(context: &Arc<CircuitContext>) {
    evict_where(|cached| cached.inner().is_in(context));
}

fn evict_where(selects: impl Fn(&Circuit) -> bool) {
    let caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    for cache in caches.iter().filter_map(Weak::upgrade) {
        cache.evict(&selects);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_key_matters() {
        // Fails if a range of lengths skips a byte. Other tests do not notice that, because two keys that differ in one
        // byte almost never have the same hash.
        let text: Vec<_> = (b'a'..=b'z').chain(b'A'..=b'N').collect();
        for len in 0..=text.len() {
            let key = &text[..len];
            assert!(same_bytes(key, &text.clone()[..len]));
            assert!(!same_bytes(key, &text[..len.saturating_sub(1)]) || len == 0);
            for index in 0..len {
                let mut other = key.to_vec();
                other[index] = b'-';
                assert!(!same_bytes(key, &other), "byte {index} of {len}");
            }
        }
    }
}
