//! Eviction of idle circuits, and of circuits over the capacity.
//!
//! Eviction happens during inserts, on the thread that inserts, and each insert visits at most [`MOST_VISITS`] entries.
//! It uses two kinds of locks: first `progress`, which one thread holds and others skip; then one part of the map.
//! Look-ups decide with `is_expired` under the lock of the part, so an idle circuit is replaced at its next look-up even
//! if no insert has removed it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use super::cache::TICK;
use super::map::{self, CircuitMap};
#[cfg(any(doc, all(test, not(loom))))]
use super::part::GROUPS;
use super::part::Part;
use crate::circuit::{Circuit, EvictionRank};
use crate::clock::{SystemClock, Time, TimeSource, nanos};

/// The largest number of entries that one insert visits: circuits, and handles to them that caches share.
#[cfg(all(test, not(loom)))]
const MOST_VISITS: usize = 64;
/// An insert searches until it has made this many visits. The last circuit may add those of its [`GROUPS`] handles.
const SEARCH: usize = 24;
/// The circuits that an insert visits at least, on average over a pass. They are fewer than `SEARCH`, because shared handles
/// are visits, too, and because the search of a part starts again when its table grows.
const CIRCUITS_PER_INSERT: usize = 8;
/// An insert evicts circuits over the capacity until it has made this many visits, those of the search included.
const EVICTION: usize = 48;
/// A search also ends after this many positions of the map, because a table may have few circuits for its size.
const POSITIONS: usize = 512;
/// The change from one part of the map to the next costs as much as this many positions.
const POSITIONS_OF_A_PART: usize = 8;
/// Threads that insert at the same time may exceed the capacity by one circuit of this many, and by a few.
const SHARE_OVER_CAPACITY: usize = 8;
const FEW_OVER_CAPACITY: usize = 64;
/// The number of candidates that are kept, whatever the number of circuits.
const FEW_CANDIDATES: usize = 1_024;
/// For more circuits, one of this many is kept as a candidate. This has to be less than `SEARCH`: see `Candidates`.
const CIRCUITS_PER_CANDIDATE: usize = 16;
/// All circuits are searched for idle ones at most this many times in one `idle_after`.
const SWEEPS: u32 = 32;
/// The precision of the last use, so that calls rarely write it. With a [`TICK`], it makes a millisecond.
const PRECISION: Duration = Duration::from_micros(500);
/// With a short `idle_after`, the precision is this fraction of it.
const PRECISION_FRACTION: u32 = 1_024;

#[derive(Debug)]
pub(super) struct Eviction {
    capacity: usize,
    idle_after: Duration,
    /// The same in nanoseconds.
    idle_nanos: u64,
    /// The precision of the last use, in nanoseconds.
    precision: u64,
    /// The clock of the registry, if the ticks of caches are precise enough.
    clock_of_ticks: Option<SystemClock>,
    /// Locked by the one thread that evicts. Other inserting threads do not wait for it.
    progress: Mutex<Progress>,
}

/// The progress of eviction between two inserts.
#[derive(Debug, Default)]
struct Progress {
    pass: Option<Pass>,
    /// When all circuits are searched for idle ones again.
    next_sweep: Time,
    candidates: Candidates,
    /// Whether the last pass that collected candidates found none.
    found_none: bool,
    /// Whether the last insert found the registry over its capacity, without a circuit to evict. An event is published
    /// when this becomes true.
    is_over_capacity: bool,
}

/// A pass over all circuits. It removes idle ones, and collects candidates if the registry is near its capacity.
#[derive(Debug)]
struct Pass {
    collects: bool,
    part: usize,
    position: usize,
    /// The positions of the part when the pass entered it. The part starts again when its table has grown.
    positions: usize,
    /// No circuit that remains was last used before this time.
    earliest_use: Time,
    has_found: bool,
}

/// Circuits to evict, in the order of eviction.
///
/// At most a sixteenth of all circuits, those that are first in the order. A pass takes fewer inserts than that, and each
/// insert usually evicts one circuit. So by the time that the candidates of one pass are used up, the next pass has
/// visited every circuit again, and no circuit is evicted before another one that was ahead of it at both visits.
#[derive(Debug, Default)]
struct Candidates(BTreeSet<Candidate>);

/// A circuit to evict, provided that its rank and last use are still the same then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    order: Order,
    hash: u64,
    identity: usize,
}

/// The order of eviction.
type Order = (EvictionRank, Time);

/// What an insert did to make room.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MadeRoom {
    /// Whether the registry has just grown over its capacity because no circuit can be evicted.
    pub(super) is_newly_over_capacity: bool,
    /// The number of entries that were visited.
    #[cfg_attr(not(all(test, not(loom))), expect(dead_code, reason = "asserted by a test"))]
    visits: usize,
}

impl Eviction {
    pub(super) fn new(capacity: usize, idle_after: Duration, time: &TimeSource) -> Self {
        let shortest = idle_after / PRECISION_FRACTION;
        Self {
            capacity,
            idle_after,
            idle_nanos: nanos(idle_after),
            precision: nanos(PRECISION.min(shortest)),
            clock_of_ticks: time.system().filter(|_| shortest >= PRECISION + TICK),
            progress: Mutex::default(),
        }
    }

    /// The clock of the registry, if it is the system's, whose readings caches convert once for each tick, and ticks are
    /// precise enough.
    #[inline]
    pub(super) fn clock_of_ticks(&self) -> Option<SystemClock> {
        self.clock_of_ticks
    }

    /// Records a use of a circuit that is listed, unless the recorded one is precise enough. Returns `false` if the circuit is
    /// idle.
    #[inline]
    pub(super) fn touch(&self, circuit: &Circuit, now: Time) -> bool {
        if now < circuit.inner().last_look_up().wrapping_after(self.precision) {
            return true;
        }
        let is_idle = self.is_idle(circuit, now);
        if !is_idle {
            circuit.inner().touch_listed(now);
        }
        !is_idle
    }

    fn is_idle(&self, circuit: &Circuit, now: Time) -> bool {
        circuit.inner().is_idle_for(self.idle_nanos, now)
    }

    /// Whether a circuit of the map counts as evicted: it has been idle for `idle_after`, or it was removed while a
    /// caller held a handle that has been dropped since.
    pub(super) fn is_expired(&self, part: &Part, circuit: &Circuit, now: Time) -> bool {
        self.may_be_due(circuit, now) && part.is_unused(circuit) && self.is_due(circuit, now)
    }

    /// Removes a circuit that counts as evicted.
    pub(super) fn take_expired(
        &self,
        circuits: &CircuitMap,
        part: &mut Part,
        position: usize,
        now: Time,
    ) -> Option<Circuit> {
        // Most circuits are not idle. Their shared handles are not taken back.
        let may_be_due = part.get(position).is_some_and(|circuit| self.may_be_due(circuit, now));
        if may_be_due { circuits.take_unused(part, position, |circuit| self.is_due(circuit, now)) } else { None }
    }

    fn may_be_due(&self, circuit: &Circuit, now: Time) -> bool {
        !circuit.inner().is_listed() || self.is_idle(circuit, now)
    }

    fn is_due(&self, circuit: &Circuit, now: Time) -> bool {
        let removed = !circuit.inner().is_listed();
        removed || (self.is_idle(circuit, now) && circuit.inner().eviction_rank(now).is_some())
    }

    /// Evicts circuits after an insert: idle ones from time to time, and others while the registry is over its capacity.
    pub(super) fn make_room(&self, circuits: &CircuitMap, now: Time) -> MadeRoom {
        let mut progress = match self.progress.try_lock() {
            Ok(progress) => progress,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another thread evicts. It makes room for the circuit of this insert too, or the next insert does, unless
            // several threads insert faster than one can evict.
            Err(TryLockError::WouldBlock) if circuits.len() <= self.most_without_waiting() => {
                return MadeRoom::default();
            }
            Err(TryLockError::WouldBlock) => self.progress.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let mut visits = self.search(circuits, &mut progress, now);
        while circuits.len() > self.capacity && visits < EVICTION {
            let Some(candidate) = progress.candidates.0.pop_first() else { break };
            visits += evict(circuits, &mut progress.candidates, &candidate, now);
        }
        let is_over = circuits.len() > self.capacity && progress.candidates.0.is_empty() && progress.found_none;
        let was_over = std::mem::replace(&mut progress.is_over_capacity, is_over);
        MadeRoom { is_newly_over_capacity: is_over && !was_over, visits }
    }

    /// The number of circuits up to which an insert does not wait for a thread that evicts.
    fn most_without_waiting(&self) -> usize {
        self.capacity.saturating_add(self.capacity / SHARE_OVER_CAPACITY + FEW_OVER_CAPACITY)
    }

    /// Continues the pass over all circuits, or begins one if it is time to. Returns the number of visits.
    fn search(&self, circuits: &CircuitMap, progress: &mut Progress, now: Time) -> usize {
        let len = circuits.len();
        // A pass must be complete when the registry reaches its capacity, so it begins earlier by the number of inserts
        // that it takes.
        let collects = len + len / CIRCUITS_PER_INSERT + 2 > self.capacity;
        let pass = match &mut progress.pass {
            Some(pass) if pass.collects || !collects => pass,
            pass if collects || now >= progress.next_sweep => pass.insert(Pass::new(collects, now)),
            _ => return 0,
        };
        let not_after = if pass.collects { progress.candidates.latest_use(len) } else { Time::ORIGIN };
        let (mut visits, mut positions) = (0, 0);
        while visits < SEARCH && positions < POSITIONS {
            let Some(part) = circuits.parts().get(pass.part) else {
                progress.next_sweep = pass.next_sweep(now, self.idle_after);
                progress.found_none = pass.collects && !pass.has_found;
                progress.pass = None;
                break;
            };
            // Dropped after the part is unlocked.
            let mut removed = Vec::new();
            let mut part = map::write(part);
            if pass.positions != part.positions() {
                positions += part.shrink_if_sparse(|circuit| circuits.hash_of(circuit));
                (pass.position, pass.positions) = (0, part.positions());
            }
            while visits < SEARCH && positions < POSITIONS && pass.position < pass.positions {
                let position = pass.position;
                pass.position += 1;
                positions += 1;
                let Some(circuit) = part.get(position) else { continue };
                visits += 1;
                // No later than the last use.
                let looked_up = circuit.inner().last_look_up();
                // Most circuits of a large registry are none of the first. They are recognised by one read of memory, and
                // the processor reads several of them at the same time.
                if looked_up > not_after && !self.may_be_due(circuit, now) {
                    pass.earliest_use = pass.earliest_use.min(looked_up);
                    pass.has_found = true;
                    continue;
                }
                visits += part.shared_handles(circuit);
                if let Some(circuit) = self.take_expired(circuits, &mut part, position, now) {
                    removed.push(circuit);
                } else if let Some(circuit) = part.get(position) {
                    pass.earliest_use = pass.earliest_use.min(looked_up);
                    if pass.collects && part.is_unused(circuit) {
                        pass.has_found |= progress.candidates.offer(circuits, circuit, now);
                    }
                }
            }
            if pass.position == pass.positions {
                (pass.part, pass.position, pass.positions) = (pass.part + 1, 0, 0);
                positions += POSITIONS_OF_A_PART;
            }
            drop(part);
        }
        visits
    }
}

impl Pass {
    fn new(collects: bool, now: Time) -> Self {
        Self { collects, part: 0, position: 0, positions: 0, earliest_use: now, has_found: false }
    }

    /// When all circuits are searched for idle ones again.
    fn next_sweep(&self, now: Time, idle_after: Duration) -> Time {
        self.earliest_use.after(idle_after).max(now.after(idle_after / SWEEPS))
    }
}

impl Candidates {
    /// The largest number of candidates among so many circuits.
    fn most(circuits: usize) -> usize {
        FEW_CANDIDATES.max(circuits / CIRCUITS_PER_CANDIDATE)
    }

    /// No circuit that was used later than this becomes a candidate at present.
    fn latest_use(&self, circuits: usize) -> Time {
        match self.0.last() {
            Some(Candidate { order: (EvictionRank::ClosedWithoutStreak, last_used), .. })
                if self.0.len() >= Self::most(circuits) =>
            {
                *last_used
            }
            _ => Time::NEVER,
        }
    }

    /// Adds a circuit, if it can be evicted and is one of the first. Returns whether it can be evicted.
    fn offer(&mut self, circuits: &CircuitMap, circuit: &Circuit, now: Time) -> bool {
        let Some(order) = order(circuit, now) else { return false };
        if self.0.len() >= Self::most(circuits.len()) {
            if self.0.last().is_some_and(|last| last.order <= order) {
                return true;
            }
            self.0.pop_last();
        }
        self.0.insert(Candidate { order, hash: circuits.hash_of(circuit), identity: circuit.inner().identity() });
        true
    }
}

/// Evicts a candidate. If its place in the order has changed, it is added again with its new one. Returns the number of
/// visits.
fn evict(circuits: &CircuitMap, candidates: &mut Candidates, candidate: &Candidate, now: Time) -> usize {
    let mut part = circuits.write(candidate.hash);
    let Some(position) = part.position_of(candidate.hash, candidate.identity) else { return 1 };
    let Some(circuit) = part.get(position) else { return 1 };
    let visits = 1 + part.shared_handles(circuit);
    match order(circuit, now) {
        Some(order) if order == candidate.order => {
            let is_unchanged = |circuit: &Circuit| self::order(circuit, now) == Some(order);
            let removed = circuits.take_unused(&mut part, position, is_unchanged);
            drop(part);
            drop(removed);
        }
        Some(_) => {
            candidates.offer(circuits, circuit, now);
        }
        None => {}
    }
    visits
}

/// The place of a circuit in the order of eviction, or `None` if it must not be evicted.
fn order(circuit: &Circuit, now: Time) -> Option<Order> {
    Some((circuit.inner().eviction_rank(now)?, circuit.inner().last_used()))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use crate::testing::ManualClock;

    /// Makes circuits at the capacity or over it, lets the caches of so many groups of threads contain each one, and
    /// returns the visits of later inserts: while no circuit is idle, and after all are.
    fn visits(circuits: u64, capacity: usize, groups: usize) -> [Vec<usize>; 2] {
        let clock = ManualClock::new();
        let registry = Registry::builder().capacity(capacity).clock(clock.clone()).build().unwrap();
        let state = &*registry.0;
        let make_room = || state.eviction.make_room(&state.circuits, registry.now()).visits;
        let insert = |key| {
            let circuit = registry.circuit(&key);
            let mut part = state.circuits.write(state.circuits.hash_of(&circuit));
            (0..groups).for_each(|group| drop(part.share(&circuit, group)));
        };
        (0..circuits).for_each(insert);
        [0, 1].map(|round| {
            clock.advance(state.eviction.idle_after * round);
            (0..1_000).map(|key| (insert(circuits * (1 + u64::from(round)) + key), make_room()).1).collect()
        })
    }

    // Fails if an insert visits all circuits, or all caches.
    #[test]
    fn an_insert_visits_few_entries() {
        for (circuits, capacity) in [(5, 5), (5_000, 100_000), (5_000, 5_000), (5_000, 50)] {
            for groups in [0, 1, GROUPS] {
                for visits in visits(circuits, capacity, groups) {
                    let most = visits.into_iter().max();
                    assert!(most <= Some(MOST_VISITS), "{most:?} of {circuits} circuits in {groups} groups");
                }
            }
        }
    }
}
