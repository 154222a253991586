//! A part of the map of a registry, under one lock.

use std::sync::Arc;

use hashbrown::HashTable;

use super::same_bytes::same_bytes;
use crate::circuit::{CachedHandle, Circuit};

/// Threads are divided into this many groups. The threads of a group share one cached handle to each circuit, so that
/// whether a circuit is in use is known after a look at this many handles, however many threads there are.
pub(super) const GROUPS: usize = 16;

/// The circuits whose hashes select one part, with the handles that the caches of threads share.
///
/// # Why a key has one circuit
///
/// A circuit is removed only under the write lock of its part, and only if nobody else can reach it:
///
/// - The map gives out no handle meanwhile.
/// - Caches refer to a circuit only weakly, through the handle of their group, which the part owns. `take_unused` takes
///   these handles back with `Arc::try_unwrap`, which fails while a call of the group is running. If it succeeds, no
///   cache can upgrade its reference any more.
/// - After that, every other handle belongs to a caller, and `is_sole_handle` counts it.
#[derive(Default)]
pub(super) struct Part {
    circuits: HashTable<Circuit>,
    shared: HashTable<SharedHandles>,
    /// Where the search for handles that no cache contains any more goes on.
    next_shared: usize,
}

/// A table is sparse if less than one position of this many has a circuit.
const SPARSE: usize = 16;
/// For each handle that is shared anew, this many positions are searched for handles that no cache contains any more. So
/// these are soon a small part of all.
const SEARCHED_POSITIONS: usize = 16;

/// The handles to one circuit that caches share, one for each group of threads that uses it.
struct SharedHandles(Box<[Arc<CachedHandle>]>);

impl Part {
    #[inline]
    pub(super) fn find(&self, hash: u64, key: &[u8]) -> Option<&Circuit> {
        self.circuits.find(hash, |circuit| same_bytes(circuit.connection().as_bytes(), key))
    }

    /// The position of the circuit of a key. Like every position, it is valid until the next insertion.
    pub(super) fn position(&self, hash: u64, key: &[u8]) -> Option<usize> {
        self.circuits.find_bucket_index(hash, |circuit| circuit.connection().as_bytes() == key)
    }

    /// The position of the circuit with this identity.
    pub(super) fn position_of(&self, hash: u64, identity: usize) -> Option<usize> {
        self.circuits.find_bucket_index(hash, |circuit| circuit.inner().identity() == identity)
    }

    pub(super) fn get(&self, position: usize) -> Option<&Circuit> {
        self.circuits.get_bucket(position)
    }

    /// The number of positions, many of which are empty.
    pub(super) fn positions(&self) -> usize {
        self.circuits.num_buckets()
    }

    pub(super) fn circuits(&self) -> impl Iterator<Item = &Circuit> {
        self.circuits.iter()
    }

    pub(super) fn insert(&mut self, hash: u64, circuit: Circuit, hash_of: impl Fn(&Circuit) -> u64) {
        self.circuits.insert_unique(hash, circuit, hash_of);
    }

    /// Makes the table smaller if nearly all positions are empty, because a search visits them all. Returns the number of
    /// circuits that were moved.
    pub(super) fn shrink_if_sparse(&mut self, hash_of: impl Fn(&Circuit) -> u64) -> usize {
        let len = self.circuits.len();
        if len >= self.positions() / SPARSE {
            return 0;
        }
        self.circuits.shrink_to(2 * len, hash_of);
        len
    }

    /// Whether no caller has a handle to the circuit and no call is running that found it in a cache. The result is
    /// reliable only under the write lock after `take_back`.
    pub(super) fn is_unused(&self, circuit: &Circuit) -> bool {
        circuit.is_sole_handle()
            || circuit.handle_count() == 1 + self.shared_handles(circuit)
                && self.shared(circuit).all(|handle| Arc::strong_count(handle) == 1)
    }

    /// The number of handles to the circuit that caches share.
    pub(super) fn shared_handles(&self, circuit: &Circuit) -> usize {
        if circuit.is_sole_handle() { 0 } else { self.shared(circuit).count() }
    }

    fn shared(&self, circuit: &Circuit) -> impl Iterator<Item = &Arc<CachedHandle>> {
        let shared = self.shared.find(hash_of_identity(circuit), |shared| shared.is_of(circuit));
        shared.into_iter().flat_map(|shared| &shared.0)
    }

    /// Removes the circuit at a position, unless it is in use or `may_remove` returns false. The latter is called when no
    /// other thread can reach the circuit any more.
    pub(super) fn take_unused(
        &mut self,
        position: usize,
        may_remove: impl FnOnce(&Circuit) -> bool,
    ) -> Option<Circuit> {
        let entry = self.circuits.get_bucket_entry(position).ok()?;
        if take_back(&mut self.shared, entry.get()) && may_remove(entry.get()) { Some(entry.remove().0) } else { None }
    }

    /// Returns the handle to a circuit of this part that the caches of a group share. The caller has a handle of its own.
    pub(super) fn share(&mut self, circuit: &Circuit, group: usize) -> Arc<CachedHandle> {
        self.drop_unshared();
        let new_handle = || Arc::new(CachedHandle::new(circuit.clone(), group));
        let hash = hash_of_identity(circuit);
        if let Some(shared) = self.shared.find_mut(hash, |shared| shared.is_of(circuit)) {
            return shared.0.iter().find(|handle| handle.group() == group).cloned().unwrap_or_else(|| {
                let handle = new_handle();
                shared.0 = std::mem::take(&mut shared.0).into_iter().chain([handle.clone()]).collect();
                handle
            });
        }
        let handle = new_handle();
        let shared = SharedHandles(Box::new([handle.clone()]));
        self.shared.insert_unique(hash, shared, |shared| {
            shared.0.first().map_or(0, |handle| hash_of_identity(handle.circuit()))
        });
        handle
    }

    /// Drops handles that no cache contains any more.
    fn drop_unshared(&mut self) {
        for _ in 0..SEARCHED_POSITIONS.min(self.shared.num_buckets()) {
            self.next_shared = (self.next_shared + 1) % self.shared.num_buckets();
            if let Ok(mut entry) = self.shared.get_bucket_entry(self.next_shared) {
                entry.get_mut().take_back(|handle| Arc::weak_count(handle) == 0);
                if entry.get().0.is_empty() {
                    entry.remove();
                }
            }
        }
    }
}

impl SharedHandles {
    fn is_of(&self, circuit: &Circuit) -> bool {
        self.0.first().is_some_and(|handle| handle.circuit() == circuit)
    }

    /// Takes the selected handles back, except those of running calls. A cache that refers to such a handle finds nothing
    /// from now on. No destructor of the user's runs, because the map has a handle, too.
    fn take_back(&mut self, selects: impl Fn(&Arc<CachedHandle>) -> bool) {
        if !self.0.iter().any(&selects) {
            return;
        }
        let handles = std::mem::take(&mut self.0).into_iter();
        let kept =
            handles.filter_map(|handle| if selects(&handle) { Arc::try_unwrap(handle).err() } else { Some(handle) });
        self.0 = kept.collect();
    }
}

/// Takes all shared handles of a circuit back, except those of running calls. Returns `true` if the map has the only
/// handle after that.
fn take_back(shared: &mut HashTable<SharedHandles>, circuit: &Circuit) -> bool {
    if circuit.is_sole_handle() {
        return true;
    }
    if let Ok(mut entry) = shared.find_entry(hash_of_identity(circuit), |shared| shared.is_of(circuit)) {
        entry.get_mut().take_back(|_| true);
        if entry.get().0.is_empty() {
            entry.remove();
        }
    }
    circuit.is_sole_handle()
}

/// Spreads the bits of an address, of which the lowest are always zero.
fn hash_of_identity(circuit: &Circuit) -> u64 {
    (circuit.inner().identity() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
}
