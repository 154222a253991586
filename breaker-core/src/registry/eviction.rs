//! Which circuits go, and when.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use dashmap::mapref::multiple::RefMulti;

use super::{Circuits, cache};
use crate::circuit::{Circuit, CircuitContext, EvictionRank};
use crate::clock::{Reading, Time, nanos};

/// A look at all circuits finds victims for this share of the capacity, so that its cost is spread over as many inserts.
const BATCH: usize = 16;
/// Up to so many circuits a look costs next to nothing.
const SMALL: usize = 1_024;
/// So many circuits are looked at in one go: each step of the map's iterator waits for all memory that was asked for, and so
/// many circuits come from there in hardly more time than one.
const FEW: usize = 64;
/// All circuits are looked at for idle ones at most this often in one `idle_after`.
const SWEEPS: u32 = 32;
/// To what the moment of the last call is known, in nanoseconds, so that calls hardly ever write it: a millisecond, and
/// this share of an `idle_after` that is short.
const PRECISION: u64 = 1_000_000;
const SHARE: u64 = 1_024;

#[derive(Debug)]
pub(super) struct Eviction {
    capacity: usize,
    /// In nanoseconds.
    idle_after: u64,
    /// To what the moment of the last call is kept, in nanoseconds.
    precision: u64,
    /// Held by one inserting thread at a time; nobody waits for it.
    work: Mutex<Work>,
}

#[derive(Debug)]
struct Work {
    next_sweep: Time,
    /// The next to go, longest idle first, as they were found when all were last looked at.
    victims: VecDeque<Victim>,
    /// Whether the last insert found the registry over its capacity, with nothing to evict.
    overgrown: bool,
    /// Where the last look found too few victims: how many circuits there must be before the next look is worth it.
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

    /// FrameNotes that a circuit was asked for, and says until when that need not be done again. `None` where it is idle, and
    /// may be gone for that.
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

    /// Whether a circuit of the map counts as gone: it has been idle for so long, or was removed while somebody held it,
    /// which nobody does any more. Asked while the map is locked there, so that nobody takes a handle meanwhile.
    pub(super) fn is_gone(&self, circuit: &Circuit, now: Time) -> bool {
        let removed = !circuit.inner().is_listed();
        (removed || self.is_idle(circuit, now)) && is_unheld(circuit) && (removed || may_go(circuit, now).is_some())
    }

    /// Makes room after an insert. True if the registry has just grown over its capacity because nothing may go.
    pub(super) fn make_room(&self, circuits: &Circuits, context: &Arc<CircuitContext>, now: Time) -> bool {
        let mut work = match self.work.try_lock() {
            Ok(work) => work,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another thread is at it; what this insert added is left to it, or to the next insert.
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
                // What is called again from now on is soon back in a cache, and in use for that.
                cache::evict_all(context);
                work.victims = find_victims(circuits, wanted, now);
                work.look_again_at = 0;
            } else {
                if looked {
                    // Counted from what is left now that the victims are gone, for all that can go again is among it.
                    work.look_again_at = len + worth_a_look(len);
                }
                return !std::mem::replace(&mut work.overgrown, true);
            }
        }
    }

    /// How many victims a look should find.
    fn batch(&self) -> usize {
        self.capacity / BATCH
    }

    /// Removes every circuit that is gone, and says when to look again.
    fn sweep(&self, circuits: &Circuits, now: Time) -> Time {
        // What is inserted from now on is idle no earlier.
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

/// The circuits to evict first, `wanted` of them if there are so many.
///
/// The first look leaves the keys alone, and the second all circuits but the victims: to touch either is most of what a
/// look costs.
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
    // They are kept for long.
    victims.shrink_to_fit();
    victims.into_iter().map(|((eviction_rank, last_used), key)| Victim { key, eviction_rank, last_used }).collect()
}

/// By how much a registry of `len` circuits, hardly any of which may go, has to grow before the next look at them all:
/// otherwise each insert would pay for one. A small registry is looked at each time.
fn worth_a_look(len: usize) -> usize {
    1 + len.saturating_sub(SMALL) / BATCH
}

/// Whether nobody but the map has a handle, once the caches gave theirs back.
pub(super) fn is_unheld(circuit: &Circuit) -> bool {
    circuit.is_held_once() || {
        cache::evict(circuit);
        circuit.is_held_once()
    }
}

/// In which rank a circuit of the map may go, if it may.
fn may_go(circuit: &Circuit, now: Time) -> Option<EvictionRank> {
    if circuit.is_held_once() { circuit.inner().eviction_rank(now) } else { None }
}
