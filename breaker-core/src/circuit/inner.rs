//! The circuit itself: the state machine under a lock, and the word that spares healthy calls the lock.

use std::sync::Arc as StdArc;

use super::CallSite;
use super::counters::Counters;
use super::flags::Flags;
use super::outbox::Outbox;
use super::state_word::{StateWord, Ticket};
use crate::clock::{Time, TimeSource};
use crate::config::{Config, Settings};
use crate::event::{Reason, Snapshot};
use crate::evidence::{Evidence, Judgement};
use crate::fleet::Fleet;
use crate::key::Key;
use crate::machine::{HasFleet, Machine, Published, Settlement, Transition};
use crate::state::State;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::telemetry::{Hooks, Telemetry};

/// What all circuits of a registry share.
#[derive(Default)]
pub(crate) struct CircuitContext {
    pub(crate) time: TimeSource,
    pub(crate) hooks: Hooks,
    /// The processes that share the circuits, if any do.
    pub(crate) fleet: Option<StdArc<dyn Fleet>>,
    /// What circuits that are gone left uncounted.
    #[cfg(feature = "metrics")]
    pub(crate) retired: crate::telemetry::Retired,
}

pub(crate) struct Inner {
    /// A [`StateWord`]. Written under the lock alone.
    pub(super) word: AtomicU64,
    /// Until when an open circuit rejects, in nanoseconds; written before the word that says open.
    pub(super) open_until: AtomicU64,
    pub(super) flags: Flags,
    /// When the circuit was last asked for, in nanoseconds.
    pub(super) last_used: AtomicU64,
    pub(super) guarded: Mutex<Locked>,
    pub(super) connection: StdArc<str>,
    pub(super) config: Config,
    pub(super) context: StdArc<CircuitContext>,
    pub(super) telemetry: Telemetry,
}

/// What the lock guards.
#[derive(Debug)]
pub(super) struct Locked {
    pub(super) machine: Machine,
    /// Boxed, for a healthy circuit has none.
    tally: Option<Box<Counters>>,
    pub(super) outbox: Outbox,
}

impl Inner {
    pub(crate) fn new(connection: StdArc<str>, config: Config, context: StdArc<CircuitContext>, now: Time) -> Self {
        let fleet = if context.fleet.is_some() { HasFleet::Yes } else { HasFleet::No };
        let machine = Machine::new(config.settings(), fleet);
        Self {
            word: AtomicU64::new(StateWord::new(machine.era(), machine.published(), is_timed(&config)).0),
            open_until: AtomicU64::new(0),
            flags: Flags::of_a_listed_circuit(),
            last_used: AtomicU64::new(now.as_nanos()),
            guarded: Mutex::new(Locked { machine, tally: None, outbox: Outbox::default() }),
            connection,
            config,
            context,
            telemetry: Telemetry::new(now),
        }
    }

    pub(crate) fn connection(&self) -> &StdArc<str> {
        &self.connection
    }

    #[inline]
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn now(&self) -> Time {
        self.context.time.now()
    }

    /// What a call says that was dropped before it finished.
    /// `started` tells from the time now when it began.
    pub(crate) fn report_of_drop(&self, started: impl FnOnce(Time) -> Time) -> Judgement {
        let too_late = self.config.settings().dropped_after.is_some_and(|limit| {
            let now = self.now();
            now.since(started(now)) > limit
        });
        Judgement::dropped(if too_late { Evidence::Failed } else { Evidence::Unknown })
    }

    /// Takes a plain success of the call with this ticket, if it changes nothing, so that nothing need be written. False
    /// if it changes something.
    #[inline]
    pub(crate) fn record_plain_success(&self, ticket: Ticket) -> bool {
        let is_idle = self.word().is_idle_for(ticket);
        if is_idle {
            self.telemetry.plain_success();
        }
        is_idle
    }

    /// Takes the result of the call with this ticket. False if it was stale.
    pub(crate) fn record(&self, ticket: Ticket, report: Judgement, site: &'static CallSite) -> bool {
        if report.is_plain_success() && self.record_plain_success(ticket) {
            return true;
        }
        let now = self.now();
        let mut guarded = self.lock();
        let (settings, name) = (self.config.settings(), &*self.connection);
        let verdict = guarded.machine.record(settings, name, ticket.era(), report.evidence, report.is_marked(), now);
        self.publish(&guarded.machine, now);
        self.telemetry.result(&report, &verdict);
        guarded.tally.get_or_insert_default().add(&report, &verdict, site, now);
        self.last_used.store(now.as_nanos(), Ordering::Relaxed);
        self.unlock_and_tell(guarded, verdict.transition(), site.operation, now);
        verdict != Settlement::Stale
    }

    pub(crate) fn trip(&self) {
        self.force(|machine, now| machine.trip(self.config.settings(), &self.connection, now));
    }

    pub(crate) fn hold_open(&self) {
        self.force(Machine::hold_open);
    }

    pub(crate) fn reset(&self) {
        self.force(|machine, now| machine.reset(self.config.settings(), now));
    }

    /// As [`reset`](Self::reset), for this process alone.
    pub(crate) fn reset_locally(&self) {
        self.force(|machine, now| machine.reset_locally(self.config.settings(), now));
    }

    /// Tells the hooks of something that is no change of state, in order with the changes.
    pub(crate) fn remark(&self, reason: Reason) {
        let now = self.now();
        let guarded = self.lock();
        let state = guarded.machine.state(now);
        self.unlock_and_tell(guarded, Some(Transition { from: state, to: state, reason }), None, now);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn end_cooldown(&self) {
        self.force(Machine::end_cooldown);
    }

    pub(super) fn force(&self, change: impl FnOnce(&mut Machine, Time) -> Option<Transition>) {
        let now = self.now();
        let mut guarded = self.lock();
        let transition = change(&mut guarded.machine, now);
        self.publish(&guarded.machine, now);
        if transition.is_some_and(|transition| transition.to == State::Open) {
            guarded.tally.get_or_insert_default().opened += 1;
        }
        self.unlock_and_tell(guarded, transition, None, now);
    }

    pub(crate) fn state(&self) -> State {
        let word = self.word();
        if word.is_closed() {
            return State::Closed;
        }
        let now = self.now();
        self.lock().machine.state(now)
    }

    pub(crate) fn snapshot(&self, now: Time) -> Snapshot {
        let guarded = self.lock();
        let machine = &guarded.machine;
        let nothing = Counters::default();
        let tally = guarded.tally.as_deref().unwrap_or(&nothing);
        let odd = tally.odd();
        Snapshot {
            connection: Key::from(self.connection.clone()),
            state: machine.state(now),
            held: machine.is_held(),
            streak: machine.streak(self.config.settings(), now),
            retry_after: machine.cooldown_until(now).map(|until| until.since(now)),
            times_opened: tally.opened,
            marked_answers: tally.answers,
            failed: tally.failed,
            unknown: odd.unknown,
            rejected: self.flags.rejections(),
            dropped: odd.dropped,
            stale: odd.stale,
            failures_cleared_by_answers: tally.cleared,
            last_failure: tally.last_failure.as_ref().map(|moment| moment.seen_at(now)),
            last_answer: tally.last_answer.as_ref().map(|moment| moment.seen_at(now)),
        }
    }

    /// Tells this circuit from every other that lives at the same time.
    #[inline]
    pub(crate) fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    #[inline]
    pub(super) fn word(&self) -> StateWord {
        StateWord(self.word.load(Ordering::Acquire))
    }

    pub(super) fn settings(&self) -> &Settings {
        self.config.settings()
    }

    /// The processes that share the circuit, if any do.
    pub(super) fn fleet(&self) -> Option<&dyn Fleet> {
        self.context.fleet.as_deref()
    }

    /// Asks the machine for what changes nothing that is published, and is no event.
    pub(super) fn with_machine<T>(&self, ask: impl FnOnce(&mut Machine) -> T) -> T {
        ask(&mut self.lock().machine)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Locked> {
        lock(&self.guarded)
    }

    pub(super) fn publish(&self, machine: &Machine, now: Time) {
        let published = machine.published();
        self.telemetry.published(published, now);
        if let Published::Open { until, .. } = published {
            self.open_until.store(until.as_nanos(), Ordering::Release);
        }
        self.word.store(StateWord::new(machine.era(), published, is_timed(&self.config)).0, Ordering::Release);
    }
}

/// Whether it matters when a call began.
fn is_timed(config: &Config) -> bool {
    config.settings().dropped_after.is_some()
}

#[cfg(feature = "metrics")]
impl Inner {
    /// Takes what was counted since it was last taken, with how the circuit is now.
    pub(crate) fn take_sample(&self, now: Time) -> crate::telemetry::Sample {
        self.telemetry.metrics.take(now)
    }
}

#[cfg(feature = "metrics")]
impl Drop for Inner {
    /// What was not reported yet must not get lost. The map of a registry may be locked here, so no clock is read.
    fn drop(&mut self) {
        self.context.retired.add(&self.telemetry.metrics.take_counts());
    }
}
