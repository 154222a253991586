//! Metrics of one circuit: counts since the last report, and the time spent in each state.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::counts::Counts;
use super::striped_count::StripedCount;
use crate::clock::Time;
use crate::evidence::{Evidence, Judgement};
use crate::machine::{Published, Settlement, Transition};
use crate::rejection::RejectionReason;
use crate::state::State;

/// The metrics of one circuit.
#[derive(Debug)]
pub(crate) struct CircuitMetrics {
    /// Successes that left the circuit as it was.
    plain_successes: StripedCount,
    created: Time,
    /// Up to which moment the closed time is counted while there are no details, in nanoseconds.
    counted_until: AtomicU64,
    /// Boxed, because a circuit that was always healthy has none.
    details: OnceLock<Box<Details>>,
}

/// The metrics of a circuit that was rejected, failed or changed its state at least once.
#[derive(Debug)]
struct Details {
    rejections: [AtomicU64; RejectionReason::ALL.len()],
    state_time: Mutex<StateTime>,
}

/// Counts and state, with the moment up to which the time in that state is counted.
#[derive(Debug)]
struct StateTime {
    counts: Counts,
    timed_state: TimedState,
    since: Time,
    counted_until: Time,
}

#[derive(Clone, Copy, Debug)]
enum TimedState {
    Closed,
    /// Half-open from `until` on, also before the first probe.
    Open {
        until: Time,
    },
    HalfOpen,
}

/// The counts of a circuit since the last sample, and its present state.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) counts: Counts,
    pub(crate) state: State,
    pub(crate) since: Time,
}

impl CircuitMetrics {
    pub(crate) fn new(now: Time) -> Self {
        Self {
            plain_successes: StripedCount::default(),
            created: now,
            counted_until: AtomicU64::new(now.as_nanos()),
            details: OnceLock::new(),
        }
    }

    #[inline]
    pub(crate) fn plain_success(&self) {
        self.plain_successes.increase();
    }

    pub(crate) fn result(&self, judgement: Judgement, settlement: &Settlement) {
        let mut state_time = self.state_time();
        match settlement {
            Settlement::Stale => state_time.counts.stale += 1,
            Settlement::CountedAlready { .. } => {}
            Settlement::Recorded { cleared, .. } => {
                state_time.counts.cleared += u64::from(*cleared);
                match judgement.evidence() {
                    Evidence::Answered => state_time.counts.answered += 1,
                    Evidence::Failed => state_time.counts.failed += 1,
                    Evidence::Unknown => state_time.counts.unknown += 1,
                }
            }
        }
    }

    pub(crate) fn rejection(&self, reason: RejectionReason) {
        if let Some(count) = self.details().rejections.get(reason as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn transition(&self, transition: Transition) {
        if let Some(count) = self.state_time().counts.transitions.get_mut(transition.reason as usize) {
            *count += 1;
        }
    }

    pub(crate) fn published(&self, published: Published, now: Time) {
        let timed_state = match published {
            Published::Idle | Published::Counting if self.details.get().is_none() => return,
            Published::Idle | Published::Counting => TimedState::Closed,
            Published::Open { held: true, .. } => TimedState::Open { until: Time::NEVER },
            Published::Open { until, held: false } => TimedState::Open { until },
            Published::HalfOpen { .. } => TimedState::HalfOpen,
        };
        self.state_time().change(timed_state, now);
    }

    /// Takes the counts, with the time up to `now`.
    pub(crate) fn take(&self, now: Time) -> Sample {
        let (state, since) = match self.details.get() {
            Some(details) => {
                let mut state_time = details.state_time();
                state_time.count_time(now);
                (state_time.state(now), state_time.since(now))
            }
            None => (State::Closed, self.created),
        };
        let mut counts = self.take_counts();
        if self.details.get().is_none() {
            let before = self.counted_until.fetch_max(now.as_nanos(), Ordering::Relaxed);
            counts.nanos_in[State::Closed as usize] += now.as_nanos().saturating_sub(before);
        }
        Sample { counts, state, since }
    }

    /// Takes the counts without reading the clock.
    pub(crate) fn take_counts(&self) -> Counts {
        let mut counts = Counts::default();
        if let Some(details) = self.details.get() {
            counts = std::mem::take(&mut details.state_time().counts);
            for (count, rejected) in counts.rejections.iter_mut().zip(&details.rejections) {
                *count = rejected.swap(0, Ordering::Relaxed);
            }
        }
        counts.answered += self.plain_successes.take();
        counts
    }

    fn state_time(&self) -> MutexGuard<'_, StateTime> {
        self.details().state_time()
    }

    fn details(&self) -> &Details {
        self.details.get_or_init(|| {
            let state_time = StateTime {
                counts: Counts::default(),
                timed_state: TimedState::Closed,
                since: self.created,
                counted_until: Time::from_nanos(self.counted_until.load(Ordering::Relaxed)),
            };
            Box::new(Details { rejections: Default::default(), state_time: Mutex::new(state_time) })
        })
    }
}

impl Details {
    fn state_time(&self) -> MutexGuard<'_, StateTime> {
        self.state_time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateTime {
    fn change(&mut self, timed_state: TimedState, now: Time) {
        self.count_time(now);
        let before = self.state(now);
        let since = self.since(now);
        self.timed_state = timed_state;
        self.since = if self.state(now) == before { since } else { now };
    }

    /// Counts the time up to `now` in the state, or the two states, in which it was spent: an open circuit becomes half-open
    /// when its cooldown ends.
    fn count_time(&mut self, now: Time) {
        let from = self.counted_until;
        let until_half_open = match self.timed_state {
            TimedState::Closed => {
                self.add_time(State::Closed, from, now);
                return;
            }
            TimedState::Open { until } => until,
            TimedState::HalfOpen => from,
        };
        self.add_time(State::Open, from, now.min(until_half_open));
        self.add_time(State::HalfOpen, from.max(until_half_open), now);
    }

    fn add_time(&mut self, state: State, from: Time, to: Time) {
        let nanos = to.as_nanos().saturating_sub(from.as_nanos());
        self.counts.nanos_in[state as usize] += nanos;
        self.counted_until = self.counted_until.max(to);
    }

    fn state(&self, now: Time) -> State {
        match self.timed_state {
            TimedState::Closed => State::Closed,
            TimedState::Open { until } if now < until => State::Open,
            TimedState::Open { .. } | TimedState::HalfOpen => State::HalfOpen,
        }
    }

    fn since(&self, now: Time) -> Time {
        match self.timed_state {
            TimedState::Open { until } if until <= now => until,
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

    fn seconds_in(sample: &Sample) -> [u64; 3] {
        sample.counts.nanos_in.map(|nanos| nanos / 1_000_000_000)
    }

    #[test]
    fn time_counts_for_the_state_that_a_reader_saw() {
        let metrics = CircuitMetrics::new(seconds(10));
        assert_eq!(seconds_in(&metrics.take(seconds(12))), [2, 0, 0]);
        metrics.published(Published::Open { until: seconds(75), held: false }, seconds(15));
        let open = metrics.take(seconds(35));
        assert_eq!((open.state, open.since, seconds_in(&open)), (State::Open, seconds(15), [3, 20, 0]));
        // No probe arrives for five seconds after the cooldown.
        let over = metrics.take(seconds(80));
        assert_eq!((over.state, over.since, seconds_in(&over)), (State::HalfOpen, seconds(75), [0, 40, 5]));
        metrics.published(Published::HalfOpen { full_until: None }, seconds(81));
        let probing = metrics.take(seconds(82));
        assert_eq!((probing.state, probing.since, seconds_in(&probing)), (State::HalfOpen, seconds(75), [0, 0, 2]));
        metrics.published(Published::Idle, seconds(83));
        let closed = metrics.take(seconds(90));
        assert_eq!((closed.state, closed.since, seconds_in(&closed)), (State::Closed, seconds(83), [7, 0, 1]));
    }

    #[test]
    fn a_circuit_that_is_held_open_never_becomes_half_open() {
        let metrics = CircuitMetrics::new(seconds(0));
        metrics.published(Published::Open { until: Time::NEVER, held: true }, seconds(1));
        assert_eq!(seconds_in(&metrics.take(seconds(100_000))), [1, 99_999, 0]);
    }

    #[test]
    fn a_clock_that_goes_back_counts_no_time_twice() {
        let metrics = CircuitMetrics::new(seconds(0));
        metrics.published(Published::HalfOpen { full_until: None }, seconds(10));
        metrics.published(Published::Idle, seconds(5));
        assert_eq!(seconds_in(&metrics.take(seconds(11))), [11, 0, 0]);
    }

    #[test]
    fn taking_a_sample_resets_the_counts() {
        let metrics = CircuitMetrics::new(seconds(0));
        metrics.plain_success();
        metrics.rejection(RejectionReason::HeldOpen);
        let first = metrics.take_counts();
        assert_eq!((first.answered, first.rejections), (1, [0, 0, 0, 1]));
        assert_eq!(metrics.take_counts(), Counts::default());
    }
}
