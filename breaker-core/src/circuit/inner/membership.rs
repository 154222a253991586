//! What a registry needs to know of its circuits: who was asked for when, and which of them may go.

use std::sync::Arc as StdArc;

use super::{Inner, Surroundings};
use crate::clock::Time;
use crate::state::State;
use crate::sync::Ordering;

/// The order in which circuits may be evicted: the first go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    ClosedWithoutStreak,
    ClosedWithStreak,
    CooldownOver,
}

impl Inner {
    /// When somebody last asked for the circuit, or had a result worth noting.
    pub(crate) fn last_used(&self) -> Time {
        Time::from_nanos(self.last_used.load(Ordering::Relaxed))
    }

    /// Somebody asks for the circuit.
    pub(crate) fn touch(&self, now: Time) {
        if now > self.last_used() {
            self.last_used.store(now.as_nanos(), Ordering::Relaxed);
        }
        if !self.is_listed() {
            self.set_listed(true);
        }
    }

    pub(crate) fn is_listed(&self) -> bool {
        self.relations.is_listed()
    }

    pub(crate) fn set_listed(&self, listed: bool) {
        self.relations.set_listed(listed);
    }

    /// Says what it was before.
    pub(crate) fn set_cached(&self, cached: bool) -> bool {
        self.relations.set_cached(cached)
    }

    /// Whether it is a circuit of the registry with these surroundings.
    #[inline]
    pub(crate) fn is_in(&self, surroundings: &StdArc<Surroundings>) -> bool {
        StdArc::ptr_eq(&self.surroundings, surroundings)
    }

    /// In which rank the circuit may be evicted; `None` where its state must not be lost.
    pub(crate) fn standing(&self, now: Time) -> Option<Standing> {
        let word = self.word();
        if word.is_quiet() {
            return Some(Standing::ClosedWithoutStreak);
        }
        let guarded = self.lock();
        let machine = &guarded.machine;
        match machine.state(now) {
            State::Closed if machine.streak(self.config.settings(), now) == 0 => Some(Standing::ClosedWithoutStreak),
            State::Closed => Some(Standing::ClosedWithStreak),
            State::HalfOpen if !machine.is_under_probe(now) => Some(Standing::CooldownOver),
            State::HalfOpen | State::Open => None,
        }
    }
}
