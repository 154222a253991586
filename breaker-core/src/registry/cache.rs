//! What each thread remembers of the circuits that it looked up lately.
//!
//! A look-up in the map writes to memory that all threads share: the lock of a shard, and the reference count of the
//! circuit. Here every thread has a handle of its own to each circuit that it calls often, and lends it to its calls.
//!
//! No law is traded for it, because a handle in a cache is a handle as any other. The registry forgets a circuit only
//! while the map is locked there and holds the only handle, so what a cache holds is the one circuit of its key, as much
//! as what a caller holds is. The difference is that a cache gives its handle back when it is asked to: the registry
//! asks before it takes a circuit for one that is in use, and the calls that a handle was handle to keep it alive until
//! they are over. So an idle circuit goes although caches knew it, and a circuit with a call under way stays.
//!
//! Order of locks: the map, then the list of caches, then one cache. Whoever holds a cache takes no other lock and runs
//! no code of the user's, so nobody waits for long.

use std::array;
use std::cell::OnceCell;
use std::sync::{
    Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, Weak,
};

use super::eviction::Eviction;
use crate::circuit::{CachedHandle, Circuit, CircuitContext};
use crate::clock::Reading;

/// Enough for the circuits that one thread calls all the time; 9 KiB a thread.
const SETS: usize = 128;
/// Two, so that one bit of the hash chooses between them.
const WAYS: usize = 2;

/// The caches of all threads that live.
static CACHES: Mutex<Vec<Weak<Cache>>> = Mutex::new(Vec::new());

thread_local! {
    static CACHE: OnceCell<Arc<Cache>> = const { OnceCell::new() };
}

/// One thread's cache. The lock is there for the registry, which is seldom here; the thread itself never waits for it.
/// One for readers, although there is but one: that need not ask on its way out whether a panic is under way.
#[repr(align(128))]
struct Cache(RwLock<[Set; SETS]>);

/// The places for all keys of one remainder of the hash.
#[derive(Default)]
struct Set {
    ways: [Option<Entry>; WAYS],
    /// The hash that was last looked up here in vain. The second time it gets a place, so that keys which come by once
    /// neither cost an allocation nor drive out those which come all the time.
    candidate: u64,
}

struct Entry {
    hash: u64,
    handle: Arc<CachedHandle>,
    /// Until then it need not be noted that the circuit is asked for, for that was done.
    touched_until: Reading,
}

/// What a look-up asks for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'k> {
    /// Of the key, in its registry; another one than the map's.
    pub(super) hash: u64,
    pub(super) key: &'k [u8],
    /// Those of the registry: its circuits have no others, and nobody else's have them.
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

/// Whether two texts are the same. Most keys are short, and those need no call of the system's `memcmp`.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // The first and the last bytes, which overlap or meet in the middle.
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

    /// `None` while the registry is here.
    #[inline]
    fn try_read(&self) -> Option<RwLockReadGuard<'_, [Set; SETS]>> {
        unless_busy(self.0.try_read())
    }

    /// `None` while the registry is here.
    fn try_write(&self) -> Option<RwLockWriteGuard<'_, [Set; SETS]>> {
        unless_busy(self.0.try_write())
    }

    fn evict(&self, is_wanted_back: impl Fn(&Circuit) -> bool) {
        let mut sets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for way in sets.iter_mut().flat_map(|set| &mut set.ways) {
            // Never the last handle, which would run destructors of the user's: the map has one.
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
        // The remainder is in range; the high bits of the hash are the well-mixed ones.
        (hash >> 57) as usize % SETS
    }
}

/// This thread's handle, if it has one to a circuit that is not idle. FrameNotes that the circuit is asked for.
#[inline]
pub(super) fn find(wanted: Wanted<'_>, eviction: &Eviction, now: Reading) -> Option<Arc<CachedHandle>> {
    // While a thread is torn down, it has no cache any more.
    let found = CACHE.try_with(|cache| {
        let sets = cache.get()?.try_read()?;
        // Two keys of one hash are so rare that the second may be looked up in the map.
        let entry = Set::of(&sets, wanted.hash).ways.iter().flatten().find(|entry| entry.hash == wanted.hash)?;
        if !wanted.is(entry) {
            return None;
        }
        Some((entry.handle.clone(), now < entry.touched_until))
    });
    let (handle, is_noted) = found.ok()??;
    if is_noted { Some(handle) } else { touch(wanted.hash, handle, eviction, now) }
}

/// FrameNotes that the circuit is asked for. `None` where it is idle, and may be gone for that.
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

/// The circuit had to be found in the map, which is locked there, for it is not here or was idle.
pub(super) fn insert(wanted: Wanted<'_>, circuit: &Circuit, now: Reading) {
    // A model checker counts the handles of each run.
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

/// This thread has a cache from now on.
fn join() -> Arc<Cache> {
    let cache = Arc::new(Cache::new());
    let mut caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    caches.retain(|cache| cache.strong_count() > 0);
    caches.push(Arc::downgrade(&cache));
    cache
}

/// All caches give their handles to this circuit back, but for what they have handle to calls.
pub(super) fn evict(circuit: &Circuit) {
    // Whoever caches it sets the mark while it holds the cache: so either that comes first and is found below, or the
    // mark stays for the next who asks.
    if circuit.inner().set_cached(false) {
        everywhere(|cached| cached == circuit);
    }
}

/// All caches give their handles to the circuits of one registry back.
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
        // Red when a range of lengths leaves a byte out: nothing else would tell, for two such keys hardly ever share a hash.
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
