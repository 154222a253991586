//! What one circuit counted since it was last asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::counts::{Counts, REJECTIONS};
use crate::clock::Time;
use crate::evidence::{Evidence, Judgement};
use crate::machine::{Published, Settlement, Transition};
use crate::rejection::RejectionReason;
use crate::state::State;

#[derive(Debug)]
pub(crate) struct CircuitMetrics {
    /// Successes that changed nothing.
    plain_successes: AtomicU64,
    created: Time,
    /// Until when the time of a circuit without troubles is counted, in nanoseconds.
    counted_until: AtomicU64,
    /// Boxed, for a healthy circuit has none.
    troubles: OnceLock<Box<Details>>,
}

#[derive(Debug)]
struct Details {
    rejections: [AtomicU64; REJECTIONS.len()],
    story: Mutex<StateTime>,
}

#[derive(Debug)]
struct StateTime {
    counts: Counts,
    phase: Phase,
    since: Time,
    counted_until: Time,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Closed,
    /// Half-open once `until` has come, whether somebody probes or not.
    Open {
        until: Time,
    },
    HalfOpen,
}

/// What a circuit counted, and how it is now.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) counts: Counts,
    pub(crate) state: State,
    pub(crate) since: Time,
}

impl CircuitMetrics {
    pub(crate) fn new(now: Time) -> Self {
        Self {
            plain_successes: AtomicU64::new(0),
            created: now,
            counted_until: AtomicU64::new(now.as_nanos()),
            troubles: OnceLock::new(),
        }
    }

    #[inline]
    pub(crate) fn plain_success(&self) {
        self.plain_successes.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn result(&self, report: &Judgement, verdict: &Settlement) {
        let mut story = self.story();
        match verdict {
            Settlement::Stale => story.counts.stale += 1,
            Settlement::Recorded { cleared, .. } => {
                story.counts.cleared += u64::from(*cleared);
                match report.evidence {
                    Evidence::Answered => story.counts.answered += 1,
                    Evidence::Failed => story.counts.failed += 1,
                    Evidence::Unknown => story.counts.unknown += 1,
                }
            }
        }
    }

    pub(crate) fn rejection(&self, reason: RejectionReason) {
        if let Some(count) = self.troubles().rejections.get(reason as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn transition(&self, transition: Transition) {
        if let Some(count) = self.story().counts.transitions.get_mut(transition.reason as usize) {
            *count += 1;
        }
    }

    pub(crate) fn published(&self, published: Published, now: Time) {
        let phase = match published {
            Published::Idle | Published::Counting if self.troubles.get().is_none() => return,
            Published::Idle | Published::Counting => Phase::Closed,
            Published::Open { held: true, .. } => Phase::Open { until: Time::NEVER },
            Published::Open { until, held: false } => Phase::Open { until },
            Published::HalfOpen => Phase::HalfOpen,
        };
        self.story().turn(phase, now);
    }

    /// Takes what was counted, time included.
    pub(crate) fn take(&self, now: Time) -> Sample {
        let (state, since) = match self.troubles.get() {
            Some(troubles) => {
                let mut story = troubles.story();
                story.count_time(now);
                (story.state(now), story.since(now))
            }
            None => (State::Closed, self.created),
        };
        let mut counts = self.take_counts();
        if self.troubles.get().is_none() {
            let before = self.counted_until.fetch_max(now.as_nanos(), Ordering::Relaxed);
            counts.nanos_in[State::Closed as usize] += now.as_nanos().saturating_sub(before);
        }
        Sample { counts, state, since }
    }

    /// Takes what was counted, without a look at the clock.
    pub(crate) fn take_counts(&self) -> Counts {
        let mut counts = Counts::default();
        if let Some(troubles) = self.troubles.get() {
            counts = std::mem::take(&mut troubles.story().counts);
            for (count, rejected) in counts.rejections.iter_mut().zip(&troubles.rejections) {
                *count = rejected.swap(0, Ordering::Relaxed);
            }
        }
        counts.answered += self.plain_successes.swap(0, Ordering::Relaxed);
        counts
    }

    fn story(&self) -> MutexGuard<'_, StateTime> {
        self.troubles().story()
    }

    fn troubles(&self) -> &Details {
        self.troubles.get_or_init(|| {
            let story = StateTime {
                counts: Counts::default(),
                phase: Phase::Closed,
                since: self.created,
                counted_until: Time::from_nanos(self.counted_until.load(Ordering::Relaxed)),
            };
            Box::new(Details { rejections: Default::default(), story: Mutex::new(story) })
        })
    }
}

impl Details {
    fn story(&self) -> MutexGuard<'_, StateTime> {
        self.story.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateTime {
    fn turn(&mut self, phase: Phase, now: Time) {
        self.count_time(now);
        let before = self.state(now);
        let since = self.since(now);
        self.phase = phase;
        self.since = if self.state(now) == before { since } else { now };
    }

    /// Counts the time up to this moment for the state, or the two states, that it was spent in.
    fn count_time(&mut self, now: Time) {
        let from = self.counted_until;
        let until_half_open = match self.phase {
            Phase::Closed => {
                self.spend(State::Closed, from, now);
                return;
            }
            Phase::Open { until } => until,
            Phase::HalfOpen => from,
        };
        self.spend(State::Open, from, now.min(until_half_open));
        self.spend(State::HalfOpen, from.max(until_half_open), now);
    }

    fn spend(&mut self, state: State, from: Time, to: Time) {
        let nanos = to.as_nanos().saturating_sub(from.as_nanos());
        self.counts.nanos_in[state as usize] += nanos;
        self.counted_until = self.counted_until.max(to);
    }

    fn state(&self, now: Time) -> State {
        match self.phase {
            Phase::Closed => State::Closed,
            Phase::Open { until } if now < until => State::Open,
            Phase::Open { .. } | Phase::HalfOpen => State::HalfOpen,
        }
    }

    fn since(&self, now: Time) -> Time {
        match self.phase {
            Phase::Open { until } if until <= now => until,
            _ => self.since,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn seconds_in(account: &Sample) -> [u64; 3] {
        account.counts.nanos_in.map(|nanos| nanos / 1_000_000_000)
    }

    #[test]
    fn time_is_spent_in_the_state_that_a_reader_saw() {
        let ledger = CircuitMetrics::new(seconds(10));
        assert_eq!(seconds_in(&ledger.take(seconds(12))), [2, 0, 0]);
        ledger.published(Published::Open { until: seconds(75), held: false }, seconds(15));
        let open = ledger.take(seconds(35));
        assert_eq!((open.state, open.since, seconds_in(&open)), (State::Open, seconds(15), [3, 20, 0]));
        // Nobody probes for five seconds after the cooldown.
        let over = ledger.take(seconds(80));
        assert_eq!((over.state, over.since, seconds_in(&over)), (State::HalfOpen, seconds(75), [0, 40, 5]));
        ledger.published(Published::HalfOpen, seconds(81));
        let probing = ledger.take(seconds(82));
        assert_eq!((probing.state, probing.since, seconds_in(&probing)), (State::HalfOpen, seconds(75), [0, 0, 2]));
        ledger.published(Published::Idle, seconds(83));
        let closed = ledger.take(seconds(90));
        assert_eq!((closed.state, closed.since, seconds_in(&closed)), (State::Closed, seconds(83), [7, 0, 1]));
    }

    #[test]
    fn a_circuit_that_is_held_open_never_becomes_half_open() {
        let ledger = CircuitMetrics::new(seconds(0));
        ledger.published(Published::Open { until: Time::NEVER, held: true }, seconds(1));
        assert_eq!(seconds_in(&ledger.take(seconds(100_000))), [1, 99_999, 0]);
    }

    #[test]
    fn a_clock_that_goes_back_counts_no_time_twice() {
        let ledger = CircuitMetrics::new(seconds(0));
        ledger.published(Published::HalfOpen, seconds(10));
        ledger.published(Published::Idle, seconds(5));
        assert_eq!(seconds_in(&ledger.take(seconds(11))), [11, 0, 0]);
    }

    #[test]
    fn what_was_taken_is_not_taken_again() {
        let ledger = CircuitMetrics::new(seconds(0));
        ledger.plain_success();
        ledger.rejection(RejectionReason::HeldOpen);
        let first = ledger.take_counts();
        assert_eq!((first.answered, first.rejections), (1, [0, 0, 0, 1]));
        assert_eq!(ledger.take_counts(), Counts::default());
    }
}
