//! What a registry needs to evict a circuit: its last use, its flags and its eviction rank.

use std::sync::Arc as StdArc;

use super::{CircuitContext, Inner};
use crate::clock::Time;
use crate::state::State;
use crate::sync::Ordering;

/// The order of eviction: the first rank is evicted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EvictionRank {
    ClosedWithoutStreak,
    ClosedWithStreak,
    CooldownOver,
}

impl Inner {
    /// When the circuit was last looked up, or last recorded a result that was no plain success.
    pub(crate) fn last_used(&self) -> Time {
        let recorded = self.last_result().map_or(Time::ORIGIN, |result| result.at());
        self.last_look_up().max(recorded)
    }

    /// Whether the circuit was not used for this time. A circuit that was looked up in that time takes one comparison.
    #[inline]
    pub(crate) fn is_idle_for(&self, nanos: u64, now: Time) -> bool {
        now.nanos_since(self.last_look_up()) >= nanos && now.nanos_since(self.last_used()) >= nanos
    }

    #[inline]
    pub(crate) fn last_look_up(&self) -> Time {
        Time::from_nanos(self.last_used.load(Ordering::Relaxed))
    }

    /// Records a look-up of the circuit. A circuit that was removed is listed again.
    pub(crate) fn touch(&self, now: Time) {
        if now > self.last_look_up() {
            self.touch_listed(now);
        }
        if !self.is_listed() {
            self.flags.mark_listed();
        }
    }

    /// Records a look-up of a circuit that is listed, and that was last looked up earlier.
    #[inline]
    pub(crate) fn touch_listed(&self, now: Time) {
        self.last_used.store(now.as_nanos(), Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_listed(&self) -> bool {
        self.flags.is_listed()
    }

    pub(crate) fn mark_removed(&self) {
        self.flags.mark_removed();
    }

    /// Whether the circuit belongs to the registry with this context.
    #[inline]
    pub(crate) fn is_in(&self, context: &StdArc<CircuitContext>) -> bool {
        StdArc::ptr_eq(&self.context, context)
    }

    /// The eviction rank of the circuit. `None` if the registry must not evict it, because it is open, held open or
    /// under probe.
    pub(crate) fn eviction_rank(&self, now: Time) -> Option<EvictionRank> {
        let word = self.state_word();
        if word.is_idle() {
            return Some(EvictionRank::ClosedWithoutStreak);
        }
        let locked = self.lock();
        let machine = &locked.machine;
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
