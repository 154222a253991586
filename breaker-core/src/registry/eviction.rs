//! Eviction of idle circuits, and of circuits over the capacity.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use dashmap::mapref::multiple::RefMulti;

use super::{Circuits, cache};
use crate::circuit::{Circuit, CircuitContext, EvictionRank};
use crate::clock::{Reading, Time, nanos};

/// A scan of all circuits selects victims for this share of the capacity, so that its cost is spread over as many
/// inserts.
const BATCH: usize = 16;
/// Up to this number of circuits, a scan costs next to nothing.
const SMALL: usize = 1_024;
/// The number of circuits visited in one step. Each step of the map's iterator waits for memory, and this many circuits
/// arrive in hardly more time than one.
const FEW: usize = 64;
/// All circuits are scanned for idle ones at most this many times in one `idle_after`.
const SWEEPS: u32 = 32;
/// The precision of the last use, in nanoseconds: a millisecond, or this share of a short `idle_after`. Calls therefore
/// rarely write it.
const PRECISION: u64 = 1_000_000;
const SHARE: u64 = 1_024;

#[derive(Debug)]
pub(super) struct Eviction {
    capacity: usize,
    /// In nanoseconds.
    idle_after: u64,
    /// The precision of the last use, in nanoseconds.
    precision: u64,
    /// Locked by one inserting thread at a time. Other threads do not wait for it.
    work: Mutex<Work>,
}

#[derive(Debug)]
struct Work {
    next_sweep: Time,
    /// The next victims, longest idle first, as the last scan found them.
    victims: VecDeque<Victim>,
    /// Whether the last insert found the registry over its capacity without a victim.
    overgrown: bool,
    /// After a scan with too few victims: the number of circuits from which another scan is worth its cost.
    look_again_at: usize,
}

#[derive(Debug)]
struct Victim {
    key: Arc<str>,
    eviction_rank: EvictionRank,
    last_used: Time,
}

impl Eviction {
    pub(super) fn new(capacity: usize, idle_after: Duration) -> Self {
        let work = Work { next_sweep: Time::ORIGIN, victims: VecDeque::new(), overgrown: false, look_again_at: 0 };
        let idle_after = nanos(idle_after);
        Self { capacity, idle_after, precision: PRECISION.min(idle_after / SHARE), work: Mutex::new(work) }
    }

    /// Records a use of the circuit. Returns the time until which the next use need not be recorded, or `None` where
    /// the circuit is idle and may be evicted.
    #[cold]
    pub(super) fn note(&self, circuit: &Circuit, now: Reading) -> Option<Reading> {
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

    /// Whether a circuit of the map counts as evicted: it was idle for too long, or it was removed while a handle was
    /// held that has been dropped since. Called while a part of the map is locked, so that no thread gets a handle
    /// meanwhile.
    pub(super) fn is_gone(&self, circuit: &Circuit, now: Time) -> bool {
        let removed = !circuit.inner().is_listed();
        (removed || self.is_idle(circuit, now)) && is_unheld(circuit) && (removed || may_go(circuit, now).is_some())
    }

    /// Makes room after an insert. Returns `true` if the registry has just grown over its capacity because no circuit
    /// can be evicted.
    pub(super) fn make_room(&self, circuits: &Circuits, context: &Arc<CircuitContext>, now: Time) -> bool {
        let mut work = match self.work.try_lock() {
            Ok(work) => work,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another thread is evicting. The circuit that this insert added is left to that thread, or to the next
            // insert.
            Err(TryLockError::WouldBlock) => return false,
        };
        if now >= work.next_sweep {
            work.next_sweep = self.sweep(circuits, now);
            work.look_again_at = 0;
        }
        let mut looked = false;
        loop {
            let len = circuits.len();
            if len <= self.capacity {
                work.overgrown = false;
                return false;
            }
            if let Some(victim) = work.victims.pop_front() {
                circuits.remove_if(&*victim.key, |circuit, ()| {
                    circuit.inner().last_used() == victim.last_used
                        && may_go(circuit, now) == Some(victim.eviction_rank)
                });
            } else if !looked && len >= work.look_again_at {
                looked = true;
                let wanted = self.batch().max(len - self.capacity);
                // A circuit that is called again is soon cached again, and in use.
                cache::evict_all(context);
                work.victims = find_victims(circuits, wanted, now);
                work.look_again_at = 0;
            } else {
                if looked {
                    // Computed from the circuits that remain after the eviction, because every circuit that can be
                    // evicted again is among them.
                    work.look_again_at = len + worth_a_look(len);
                }
                return !std::mem::replace(&mut work.overgrown, true);
            }
        }
    }

    /// The number of victims that a scan selects.
    fn batch(&self) -> usize {
        self.capacity / BATCH
    }

    /// Removes every idle circuit. Returns when to scan again.
    fn sweep(&self, circuits: &Circuits, now: Time) -> Time {
        // A circuit that is inserted later becomes idle later.
        let idle_after = Duration::from_nanos(self.idle_after);
        let mut next = now.after(idle_after);
        circuits.retain(|circuit, ()| {
            if self.is_gone(circuit, now) {
                return false;
            }
            next = next.min(circuit.inner().last_used().after(idle_after));
            true
        });
        next.max(now.after(idle_after / SWEEPS))
    }
}

/// Selects the circuits to evict first, up to `wanted`.
///
/// The first pass skips the keys, and the second pass all circuits but the victims, because reading either causes most
/// of the cost of a scan.
fn find_victims(circuits: &Circuits, wanted: usize, now: Time) -> VecDeque<Victim> {
    let rank = |circuit: &Circuit| Some((may_go(circuit, now)?, circuit.inner().last_used()));
    let mut found = Vec::new();
    let mut all = circuits.iter();
    let mut few = Vec::with_capacity(FEW);
    loop {
        few.extend(all.by_ref().take(FEW));
        if few.is_empty() {
            break;
        }
        let circuits = few.iter().map(RefMulti::key);
        found.extend(circuits.filter_map(|circuit| Some((rank(circuit)?, circuit.inner().identity()))));
        few.clear();
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
    // The list is kept for a long time.
    victims.shrink_to_fit();
    victims.into_iter().map(|((eviction_rank, last_used), key)| Victim { key, eviction_rank, last_used }).collect()
}

/// How far a registry of `len` circuits, few of which can be evicted, has to grow before the next scan. Otherwise every
/// insert would pay for a scan. A small registry is scanned each time.
fn worth_a_look(len: usize) -> usize {
    1 + len.saturating_sub(SMALL) / BATCH
}

/// Whether only the map holds a handle, after the caches have released theirs.
pub(super) fn is_unheld(circuit: &Circuit) -> bool {
    circuit.is_held_once() || {
        cache::evict(circuit);
        circuit.is_held_once()
    }
}

/// The eviction rank of a circuit in the map, if it can be evicted.
fn may_go(circuit: &Circuit, now: Time) -> Option<EvictionRank> {
    if circuit.is_held_once() { circuit.inner().eviction_rank(now) } else { None }
}
