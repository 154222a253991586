//! Eviction of idle circuits, and of circuits over the capacity.
//!
//! Eviction happens during inserts, on the thread that inserts. It uses three kinds of locks: first `schedule`, which
//! one thread holds and others skip; then a shard of the map; then the caches, as `cache` describes. A circuit is
//! removed only while its shard is locked and the map has the only handle, so no thread can get a handle between the
//! decision and the removal. Look-ups decide with `is_expired` under the same lock, so an idle circuit is replaced at
//! its next look-up even if no insert has removed it.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use dashmap::mapref::multiple::RefMulti;

use super::{Circuits, cache};
use crate::circuit::{Circuit, CircuitContext, EvictionRank};
use crate::clock::{Reading, Time, nanos};

/// A scan selects victims for one of this many parts of the capacity, so that its cost is spread over as many inserts
/// as the part has circuits.
const BATCHES: usize = 16;
/// A scan of up to this many circuits costs little compared with an insert.
const SMALL_REGISTRY: usize = 1_024;
/// The number of circuits that a scan reads in one step. Each advance of the map's iterator is an atomic operation,
/// which waits for earlier reads of memory. So a scan collects the circuits of a step first and then reads them
/// together, and their cache misses overlap.
const STEP: usize = 64;
/// All circuits are searched for idle ones at most this many times in one `idle_after`.
const SWEEPS: u32 = 32;
/// The precision of the last use, in nanoseconds: a millisecond, so that calls rarely write it.
const PRECISION: u64 = 1_000_000;
/// With a short `idle_after`, the precision is this fraction of it.
const PRECISION_FRACTION: u64 = 1_024;

#[derive(Debug)]
pub(super) struct Eviction {
    capacity: usize,
    /// In nanoseconds.
    idle_after: u64,
    /// The precision of the last use, in nanoseconds.
    precision: u64,
    /// Locked by the one thread that evicts. Other inserting threads do not wait for it.
    schedule: Mutex<Schedule>,
}

/// The progress of eviction between two inserts.
#[derive(Debug)]
struct Schedule {
    /// When all circuits are searched for idle ones again.
    next_sweep: Time,
    /// The victims that the last scan selected and that were not evicted yet, in the order of eviction.
    victims: VecDeque<Victim>,
    /// Whether the last insert found the registry over its capacity, without a circuit to evict. An event is published
    /// when this becomes true.
    is_over_capacity: bool,
    /// After a scan with too few victims: the number of circuits at which the next scan is worth its cost.
    next_scan_len: usize,
}

/// A circuit to evict, provided that its rank and last use are still the same then.
#[derive(Debug)]
struct Victim {
    key: Arc<str>,
    eviction_rank: EvictionRank,
    last_used: Time,
}

impl Eviction {
    pub(super) fn new(capacity: usize, idle_after: Duration) -> Self {
        let schedule =
            Schedule { next_sweep: Time::ORIGIN, victims: VecDeque::new(), is_over_capacity: false, next_scan_len: 0 };
        let idle_after = nanos(idle_after);
        Self {
            capacity,
            idle_after,
            precision: PRECISION.min(idle_after / PRECISION_FRACTION),
            schedule: Mutex::new(schedule),
        }
    }

    /// Records a use of the circuit. Returns the time until which this record is precise enough, or `None` if the
    /// circuit is idle.
    #[cold]
    pub(super) fn touch(&self, circuit: &Circuit, now: Reading) -> Option<Reading> {
        let time = now.time();
        if self.is_idle(circuit, time) {
            return None;
        }
        circuit.inner().touch(time);
        Some(now.after(self.precision))
    }

    fn is_idle(&self, circuit: &Circuit, now: Time) -> bool {
        now.nanos_since(circuit.inner().last_used()) >= self.idle_after
    }

    /// Whether a circuit of the map counts as evicted: it has been idle for `idle_after`, or it was removed while a
    /// caller held a handle that has been dropped since. The caller holds the lock of the circuit's shard, so that no
    /// other thread gets a handle meanwhile.
    pub(super) fn is_expired(&self, circuit: &Circuit, now: Time) -> bool {
        let removed = !circuit.inner().is_listed();
        (removed || self.is_idle(circuit, now))
            && is_unheld(circuit)
            && (removed || evictable_rank(circuit, now).is_some())
    }

    /// Evicts circuits after an insert: all idle ones from time to time, and others while the registry is over its
    /// capacity. Returns `true` if the registry has just grown over its capacity because no circuit can be evicted.
    pub(super) fn make_room(&self, circuits: &Circuits, context: &Arc<CircuitContext>, now: Time) -> bool {
        let mut schedule = match self.schedule.try_lock() {
            Ok(schedule) => schedule,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another thread evicts. It makes room for the circuit of this insert too, or the next insert does.
            Err(TryLockError::WouldBlock) => return false,
        };
        if now >= schedule.next_sweep {
            schedule.next_sweep = self.sweep(circuits, now);
            schedule.next_scan_len = 0;
        }
        let mut scanned = false;
        loop {
            let len = circuits.len();
            if len <= self.capacity {
                schedule.is_over_capacity = false;
                return false;
            }
            if let Some(victim) = schedule.victims.pop_front() {
                circuits.remove_if(&*victim.key, |circuit, ()| {
                    circuit.inner().last_used() == victim.last_used
                        && evictable_rank(circuit, now) == Some(victim.eviction_rank)
                });
            } else if !scanned && len >= schedule.next_scan_len {
                scanned = true;
                let wanted = self.batch().max(len - self.capacity);
                // Without this, every cached circuit would count as in use. A circuit that is called again is soon
                // cached again.
                cache::evict_all(context);
                schedule.victims = find_victims(circuits, wanted, now);
                schedule.next_scan_len = 0;
            } else {
                if scanned {
                    // `len` is the number of circuits that remain after the eviction. None of them can be evicted now.
                    schedule.next_scan_len = len + growth_until_next_scan(len);
                }
                return !std::mem::replace(&mut schedule.is_over_capacity, true);
            }
        }
    }

    /// The number of victims that a scan selects.
    fn batch(&self) -> usize {
        self.capacity / BATCHES
    }

    /// Removes every circuit that is idle or was removed. Returns when to do so again.
    fn sweep(&self, circuits: &Circuits, now: Time) -> Time {
        // No circuit that is inserted from now on becomes idle before this time.
        let idle_after = Duration::from_nanos(self.idle_after);
        let mut next = now.after(idle_after);
        circuits.retain(|circuit, ()| {
            if self.is_expired(circuit, now) {
                return false;
            }
            next = next.min(circuit.inner().last_used().after(idle_after));
            true
        });
        next.max(now.after(idle_after / SWEEPS))
    }
}

/// Selects up to `wanted` circuits, those that are first in the order of eviction.
///
/// There are two passes because cache misses are most of the cost of a scan. The first pass reads every circuit and no
/// key. The second pass recognises the selected circuits by their address, and reads only those and their keys.
fn find_victims(circuits: &Circuits, wanted: usize, now: Time) -> VecDeque<Victim> {
    let rank = |circuit: &Circuit| Some((evictable_rank(circuit, now)?, circuit.inner().last_used()));
    let mut found = Vec::new();
    let mut all = circuits.iter();
    let mut step = Vec::with_capacity(STEP);
    loop {
        step.extend(all.by_ref().take(STEP));
        if step.is_empty() {
            break;
        }
        let circuits = step.iter().map(RefMulti::key);
        found.extend(circuits.filter_map(|circuit| Some((rank(circuit)?, circuit.inner().identity()))));
        step.clear();
    }
    if found.len() > wanted {
        found.select_nth_unstable(wanted);
        found.truncate(wanted);
    }
    let chosen: HashSet<_, foldhash::fast::RandomState> = found.into_iter().map(|(_, identity)| identity).collect();
    let mut victims: Vec<_> = circuits
        .iter()
        .filter(|entry| chosen.contains(&entry.key().inner().identity()))
        .filter_map(|entry| Some((rank(entry.key())?, entry.key().inner().connection().clone())))
        .collect();
    victims.sort_unstable();
    // The list is kept until later inserts have used it up.
    victims.shrink_to_fit();
    victims.into_iter().map(|((eviction_rank, last_used), key)| Victim { key, eviction_rank, last_used }).collect()
}

/// The number of circuits by which the registry must grow after a scan that found too few victims, before it is scanned
/// again. Without it, every insert would pay for a scan. A small registry is scanned for each insert.
fn growth_until_next_scan(len: usize) -> usize {
    1 + len.saturating_sub(SMALL_REGISTRY) / BATCHES
}

/// Whether the map has the only handle, after the caches have dropped theirs.
pub(super) fn is_unheld(circuit: &Circuit) -> bool {
    circuit.is_sole_handle() || {
        cache::evict(circuit);
        circuit.is_sole_handle()
    }
}

/// The rank of a circuit of the map, or `None` if it cannot be evicted.
fn evictable_rank(circuit: &Circuit, now: Time) -> Option<EvictionRank> {
    if circuit.is_sole_handle() { circuit.inner().eviction_rank(now) } else { None }
}
