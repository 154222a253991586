//! The circuit itself: the state machine under a lock, and the word that spares healthy calls the lock.

mod admission;
mod membership;
mod telling;

use std::sync::Arc as StdArc;

use super::outbox::Outbox;
use super::relations::Relations;
use super::tally::Tally;
use super::word::{Ticket, Word};
use crate::clock::{Time, TimeSource};
use crate::config::{Config, Settings};
use crate::event::{Hooks, Reason};
use crate::evidence::Evidence;
use crate::fleet::Fleet;
use crate::key::Key;
use crate::machine::{Face, Machine, Transition, Verdict};
use crate::report::Report;
use crate::rules::Rules;
use crate::site::Site;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::watch::Watch;

pub(crate) use admission::Admission;
pub(crate) use membership::Standing;

/// What all circuits of a registry share.
#[derive(Default)]
pub(crate) struct Surroundings {
    pub(crate) time: TimeSource,
    pub(crate) hooks: Hooks,
    /// The processes that share the circuits, if any do.
    pub(crate) fleet: Option<StdArc<dyn Fleet>>,
    /// What circuits that are gone left uncounted.
    #[cfg(feature = "metrics")]
    pub(crate) departed: crate::adapters::metrics::Departed,
}

pub(crate) struct Inner {
    /// A [`Word`]. Written under the lock alone.
    word: AtomicU64,
    /// Until when an open circuit rejects, in nanoseconds; written before the word that says open.
    open_until: AtomicU64,
    relations: Relations,
    /// When the circuit was last asked for, in nanoseconds.
    last_used: AtomicU64,
    guarded: Mutex<Guarded>,
    connection: StdArc<str>,
    config: Config,
    surroundings: StdArc<Surroundings>,
    watch: Watch,
}

/// What the lock guards.
#[derive(Debug)]
struct Guarded {
    machine: Machine,
    /// Boxed, for a healthy circuit has none.
    tally: Option<Box<Tally>>,
    outbox: Outbox,
}

impl Inner {
    pub(crate) fn new(connection: StdArc<str>, config: Config, surroundings: StdArc<Surroundings>, now: Time) -> Self {
        let machine = Machine::new(config.settings(), surroundings.fleet.is_some());
        Self {
            word: AtomicU64::new(Word::new(machine.era(), machine.face(), is_timed(&config)).0),
            open_until: AtomicU64::new(0),
            relations: Relations::of_a_listed_circuit(),
            last_used: AtomicU64::new(now.as_nanos()),
            guarded: Mutex::new(Guarded { machine, tally: None, outbox: Outbox::default() }),
            connection,
            config,
            surroundings,
            watch: Watch::new(now),
        }
    }

    pub(crate) fn connection(&self) -> &StdArc<str> {
        &self.connection
    }

    #[inline]
    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules::of(&self.config)
    }

    pub(crate) fn now(&self) -> Time {
        self.surroundings.time.now()
    }

    /// What a call says that was dropped before it finished.
    /// `started` tells from the time now when it began.
    pub(crate) fn report_of_drop(&self, started: impl FnOnce(Time) -> Time) -> Report {
        let too_late = self.config.settings().dropped_after.is_some_and(|limit| {
            let now = self.now();
            now.since(started(now)) > limit
        });
        Report::dropped(if too_late { Evidence::Failed } else { Evidence::Unknown })
    }

    /// Takes a plain success of the call with this ticket, if it changes nothing, so that nothing need be written. False
    /// if it changes something.
    #[inline]
    pub(crate) fn settle_quietly(&self, ticket: Ticket) -> bool {
        let is_quiet = self.word().is_quiet_for(ticket);
        if is_quiet {
            self.watch.plain_success();
        }
        is_quiet
    }

    /// Takes the result of the call with this ticket. False if it was stale.
    pub(crate) fn settle(&self, ticket: Ticket, report: Report, site: &'static Site) -> bool {
        if report.is_plain_success() && self.settle_quietly(ticket) {
            return true;
        }
        let now = self.now();
        let mut guarded = self.lock();
        let (settings, name) = (self.config.settings(), &*self.connection);
        let verdict = guarded.machine.settle(settings, name, ticket.era(), report.evidence, report.is_marked(), now);
        self.publish(&guarded.machine, now);
        self.watch.result(&report, &verdict);
        guarded.tally.get_or_insert_default().add(&report, &verdict, site, now);
        self.last_used.store(now.as_nanos(), Ordering::Relaxed);
        self.unlock_and_tell(guarded, verdict.transition(), site.operation, now);
        verdict != Verdict::Stale
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
    pub(crate) fn forget(&self) {
        self.force(|machine, now| machine.forget(self.config.settings(), now));
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
        let nothing = Tally::default();
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
            rejected: self.relations.rejections(),
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
    fn word(&self) -> Word {
        Word(self.word.load(Ordering::Acquire))
    }

    pub(super) fn settings(&self) -> &Settings {
        self.config.settings()
    }

    /// The processes that share the circuit, if any do.
    pub(super) fn fleet(&self) -> Option<&dyn Fleet> {
        self.surroundings.fleet.as_deref()
    }

    /// Asks the machine for what changes nothing that is published, and is no event.
    pub(super) fn with_machine<T>(&self, ask: impl FnOnce(&mut Machine) -> T) -> T {
        ask(&mut self.lock().machine)
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        lock(&self.guarded)
    }

    fn publish(&self, machine: &Machine, now: Time) {
        let face = machine.face();
        self.watch.face(face, now);
        if let Face::Open { until, .. } = face {
            self.open_until.store(until.as_nanos(), Ordering::Release);
        }
        self.word.store(Word::new(machine.era(), face, is_timed(&self.config)).0, Ordering::Release);
    }
}

/// Whether it matters when a call began.
fn is_timed(config: &Config) -> bool {
    config.settings().dropped_after.is_some()
}

#[cfg(feature = "metrics")]
impl Inner {
    /// Takes what was counted since it was last taken, with how the circuit is now.
    pub(crate) fn take_account(&self, now: Time) -> crate::adapters::metrics::Account {
        self.watch.ledger.take(now)
    }
}

#[cfg(feature = "metrics")]
impl Drop for Inner {
    /// What was not reported yet must not get lost. The map of a registry may be locked here, so no clock is read.
    fn drop(&mut self) {
        self.surroundings.departed.add(&self.watch.ledger.take_counts());
    }
}
