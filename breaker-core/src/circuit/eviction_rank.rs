//! What a registry needs to know of its circuits: who was asked for when, and which of them may go.

use std::sync::Arc as StdArc;

use super::{CircuitContext, Inner};
use crate::clock::Time;
use crate::state::State;
use crate::sync::Ordering;

/// The order in which circuits may be evicted: the first go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EvictionRank {
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
        self.flags.is_listed()
    }

    pub(crate) fn set_listed(&self, listed: bool) {
        self.flags.set_listed(listed);
    }

    /// Says what it was before.
    pub(crate) fn set_cached(&self, cached: bool) -> bool {
        self.flags.set_cached(cached)
    }

    /// Whether it is a circuit of the registry with these context.
    #[inline]
    pub(crate) fn is_in(&self, context: &StdArc<CircuitContext>) -> bool {
        StdArc::ptr_eq(&self.context, context)
    }

    /// In which rank the circuit may be evicted; `None` where its state must not be lost.
    pub(crate) fn standing(&self, now: Time) -> Option<EvictionRank> {
        let word = self.word();
        if word.is_idle() {
            return Some(EvictionRank::ClosedWithoutStreak);
        }
        let guarded = self.lock();
        let machine = &guarded.machine;
        match machine.state(now) {
            State::Closed if machine.streak(self.config.settings(), now) == 0 => {
                Some(EvictionRank::ClosedWithoutStreak)
            }
            State::Closed => Some(EvictionRank::ClosedWithStreak),
            State::HalfOpen if !machine.is_under_probe(now) => Some(EvictionRank::CooldownOver),
            State::HalfOpen | State::Open => None,
        }
    }
}
