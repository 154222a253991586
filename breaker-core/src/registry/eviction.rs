//! Which circuits go, and when.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use super::Circuits;
use crate::circuit::{Circuit, Standing};
use crate::clock::Time;
use crate::event::{Event, Reason};
use crate::key::Key;

/// A look at all circuits finds victims for this share of the capacity, so that its cost is spread over as many inserts.
const BATCH: usize = 16;
/// All circuits are looked at for idle ones at most this often in one `idle_after`.
const SWEEPS: u32 = 32;
/// The moment of the last call is kept to this share of `idle_after`, so that calls hardly ever write it.
const PRECISION: u32 = 1_024;

#[derive(Debug)]
pub(super) struct Eviction {
    capacity: usize,
    idle_after: Duration,
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
}

#[derive(Debug)]
struct Victim {
    key: Arc<str>,
    last_used: Time,
}

impl Eviction {
    pub(super) fn new(capacity: usize, idle_after: Duration) -> Self {
        let work = Work { next_sweep: Time::ORIGIN, victims: VecDeque::new(), overgrown: false };
        Self { capacity, idle_after, work: Mutex::new(work) }
    }

    /// Notes that a circuit was asked for.
    pub(super) fn touch(&self, circuit: &Circuit, now: Time) {
        circuit.inner().touch(now, self.idle_after / PRECISION);
    }

    /// Whether a circuit of the map has been idle for so long that it counts as gone. Asked while the map is locked
    /// there, so that nobody takes a handle meanwhile.
    pub(super) fn is_gone(&self, circuit: &Circuit, now: Time) -> bool {
        now.since(circuit.inner().last_used()) >= self.idle_after && may_go(circuit, now).is_some()
    }

    /// Makes room after an insert. True if the registry has just grown over its capacity because nothing may go.
    pub(super) fn make_room(&self, circuits: &Circuits, now: Time) -> bool {
        let mut work = match self.work.try_lock() {
            Ok(work) => work,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another thread is at it; what this insert added is left to it, or to the next insert.
            Err(TryLockError::WouldBlock) => return false,
        };
        if now >= work.next_sweep {
            work.next_sweep = self.sweep(circuits, now);
        }
        let mut looked = false;
        while circuits.len() > self.capacity {
            if let Some(victim) = work.victims.pop_front() {
                circuits.remove_if(&victim.key, |_, circuit| {
                    circuit.inner().last_used() == victim.last_used && may_go(circuit, now).is_some()
                });
            } else if looked {
                return !std::mem::replace(&mut work.overgrown, true);
            } else {
                work.victims = self.find_victims(circuits, now);
                looked = true;
            }
        }
        work.overgrown = false;
        false
    }

    /// Removes every circuit that is gone, and says when to look again.
    fn sweep(&self, circuits: &Circuits, now: Time) -> Time {
        let mut next = Time::NEVER;
        circuits.retain(|_, circuit| {
            if self.is_gone(circuit, now) {
                return false;
            }
            next = next.min(circuit.inner().last_used().after(self.idle_after));
            true
        });
        next.max(now.after(self.idle_after / SWEEPS))
    }

    /// The circuits to evict first, as many as one look should yield.
    fn find_victims(&self, circuits: &Circuits, now: Time) -> VecDeque<Victim> {
        let mut found: Vec<_> = circuits
            .iter()
            .filter_map(|entry| {
                let standing = may_go(&entry, now)?;
                Some((standing, entry.inner().last_used(), entry.key().clone()))
            })
            .collect();
        let wanted = (self.capacity / BATCH).max(circuits.len().saturating_sub(self.capacity));
        if found.len() > wanted {
            found.select_nth_unstable(wanted);
            found.truncate(wanted);
        }
        found.sort_unstable();
        found.into_iter().map(|(_, last_used, key)| Victim { key, last_used }).collect()
    }
}

/// In which rank a circuit of the map may go, if it may.
fn may_go(circuit: &Circuit, now: Time) -> Option<Standing> {
    if circuit.is_held_once() { circuit.inner().standing(now) } else { None }
}

/// The event that tells of a registry which had to grow.
pub(super) fn over_capacity(circuit: &Circuit) -> Event {
    let state = circuit.state();
    let connection = Key::from(circuit.connection()).into_owned();
    Event { connection, from: state, to: state, reason: Reason::OverCapacity, operation: None }
}
