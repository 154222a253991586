//! The cache of recently used circuits of each thread.
//!
//! A look-up in the map writes memory that all threads share: the lock of a shard and the reference count of the
//! circuit. With the cache, each thread holds a handle of its own to each circuit that it calls often, and shares it
//! with its calls.
//!
//! A cached handle is an ordinary handle, so the laws hold as without a cache. The registry evicts a circuit only while
//! a part of the map is locked and the map has the only handle. So the circuit in a cache is always the one circuit of
//! its key. A cache differs from a caller only in that it releases its handle on request: before the registry decides
//! whether a circuit is in use, it evicts the circuit from the caches. Calls that share a cached handle keep the
//! circuit alive until they end. So an idle circuit is evicted although caches contain it, and a circuit with a running
//! call stays.
//!
//! The order of locks is the map, then the list of caches, then one cache. A thread that holds the lock of a cache
//! takes no other lock and runs no code of the user's, so other threads wait only briefly.

use std::array;
use std::cell::OnceCell;
use std::sync::{
    Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, Weak,
};

use super::eviction::Eviction;
use crate::circuit::{CachedHandle, Circuit, CircuitContext};
use crate::clock::Reading;

/// Enough for the circuits that one thread calls frequently, at about 9 KiB for each thread.
const SETS: usize = 128;
/// Two, so that one bit of the hash selects the way.
const WAYS: usize = 2;

/// The caches of all running threads.
static CACHES: Mutex<Vec<Weak<Cache>>> = Mutex::new(Vec::new());

thread_local! {
    static CACHE: OnceCell<Arc<Cache>> = const { OnceCell::new() };
}

/// The cache of one thread. The lock exists for the registry, which takes it rarely; the thread itself never waits for
/// it. It is a `RwLock` although there is one reader, because releasing a read lock does not check for a panic.
#[repr(align(128))]
struct Cache(RwLock<[Set; SETS]>);

/// The entries for all keys whose hashes have the same remainder.
#[derive(Default)]
struct Set {
    ways: [Option<Entry>; WAYS],
    /// The hash that was last looked up here without success. The second such look-up gets an entry, so that keys that
    /// are used once neither allocate nor displace keys that are used frequently.
    candidate: u64,
}

struct Entry {
    hash: u64,
    handle: Arc<CachedHandle>,
    /// The time until which the use of the circuit need not be recorded again.
    touched_until: Reading,
}

/// The key of a look-up.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'k> {
    /// The hash of the key in its registry, which differs from the hash of the map.
    pub(super) hash: u64,
    pub(super) key: &'k [u8],
    /// The context of the registry, which identifies the circuits of this registry.
    pub(super) context: &'k Arc<CircuitContext>,
}

impl Wanted<'_> {
    #[inline]
    fn is(self, entry: &Entry) -> bool {
        entry.hash == self.hash
            && entry.handle.circuit().inner().is_in(self.context)
            && same(entry.handle.circuit().connection().as_bytes(), self.key)
    }
}

/// Compares two texts. Short ones are compared without a call of `memcmp`.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // Compares the first and the last bytes, which overlap or meet in the middle.
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

    /// `None` while the registry holds the lock.
    #[inline]
    fn try_read(&self) -> Option<RwLockReadGuard<'_, [Set; SETS]>> {
        unless_busy(self.0.try_read())
    }

    /// `None` while the registry holds the lock.
    fn try_write(&self) -> Option<RwLockWriteGuard<'_, [Set; SETS]>> {
        unless_busy(self.0.try_write())
    }

    fn evict(&self, is_wanted_back: impl Fn(&Circuit) -> bool) {
        let mut sets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for way in sets.iter_mut().flat_map(|set| &mut set.ways) {
            // This never drops the last handle, which would run destructors of the user's, because the map has one too.
            drop(way.take_if(|entry| is_wanted_back(entry.handle.circuit())));
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
        &sets[Self::place(hash)]
    }

    fn of_mut(sets: &mut [Self; SETS], hash: u64) -> &mut Self {
        &mut sets[Self::place(hash)]
    }

    #[inline]
    fn place(hash: u64) -> usize {
        // The remainder is in range. The high bits of the hash are the well-mixed ones.
        (hash >> 57) as usize % SETS
    }
}

/// Returns this thread's handle to a circuit that is not idle, and records the use of the circuit.
#[inline]
pub(super) fn find(wanted: Wanted<'_>, eviction: &Eviction, now: Reading) -> Option<Arc<CachedHandle>> {
    // A thread that is being torn down has no cache any more.
    let found = CACHE.try_with(|cache| {
        let sets = cache.get()?.try_read()?;
        // Two keys with one hash are so rare that the second one may be looked up in the map.
        let entry = Set::of(&sets, wanted.hash).ways.iter().flatten().find(|entry| entry.hash == wanted.hash)?;
        if !wanted.is(entry) {
            return None;
        }
        Some((entry.handle.clone(), now < entry.touched_until))
    });
    let (handle, is_noted) = found.ok()??;
    if is_noted { Some(handle) } else { touch(wanted.hash, handle, eviction, now) }
}

/// Records the use of a circuit. Returns `None` where the circuit is idle and may be evicted.
#[cold]
fn touch(hash: u64, handle: Arc<CachedHandle>, eviction: &Eviction, now: Reading) -> Option<Arc<CachedHandle>> {
    let touched_until = eviction.note(handle.circuit(), now)?;
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

/// Inserts a circuit that was found in the map. A part of the map is locked.
pub(super) fn insert(wanted: Wanted<'_>, circuit: &Circuit, now: Reading) {
    // Under loom there is no cache, because the model checker counts the handles of each run.
    if cfg!(loom) {
        return;
    }
    let _ = CACHE.try_with(|cache| {
        let Some(mut sets) = cache.get_or_init(join).try_write() else { return };
        let set = Set::of_mut(&mut sets, wanted.hash);
        if set.candidate != wanted.hash {
            set.candidate = wanted.hash;
            return;
        }
        if set.ways.iter().flatten().any(|entry| wanted.is(entry)) {
            return;
        }
        let way = set.ways.iter().position(Option::is_none).unwrap_or(usize::from(wanted.hash % 2 == 1));
        circuit.inner().set_cached(true);
        set.ways[way] =
            Some(Entry { hash: wanted.hash, handle: Arc::new(CachedHandle::new(circuit.clone())), touched_until: now });
    });
}

/// Creates the cache of this thread.
fn join() -> Arc<Cache> {
    let cache = Arc::new(Cache::new());
    let mut caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    caches.retain(|cache| cache.strong_count() > 0);
    caches.push(Arc::downgrade(&cache));
    cache
}

/// Evicts a circuit from all caches. Handles that calls share stay alive until the calls end.
pub(super) fn evict(circuit: &Circuit) {
    // The flag is set while the cache is locked. So either the insertion comes first and is found below, or the flag
    // stays set for the next eviction.
    if circuit.inner().set_cached(false) {
        everywhere(|cached| cached == circuit);
    }
}

/// Evicts all circuits of one registry from all caches.
pub(super) fn evict_all(context: &Arc<CircuitContext>) {
    everywhere(|cached| cached.inner().is_in(context));
}

fn everywhere(is_wanted_back: impl Fn(&Circuit) -> bool) {
    let caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    for cache in caches.iter().filter_map(Weak::upgrade) {
        cache.evict(&is_wanted_back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_key_matters() {
        // Fails when a range of lengths skips a byte. Other tests cannot notice, because two such keys hardly ever
        // share a hash.
        let text: Vec<_> = (b'a'..=b'z').chain(b'A'..=b'N').collect();
        for len in 0..=text.len() {
            let key = &text[..len];
            assert!(same(key, &text.clone()[..len]));
            assert!(!same(key, &text[..len.saturating_sub(1)]) || len == 0);
            for place in 0..len {
                let mut other = key.to_vec();
                other[place] = b'-';
                assert!(!same(key, &other), "byte {place} of {len}");
            }
        }
    }
}
