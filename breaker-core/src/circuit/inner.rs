//! The circuit itself: the state machine under a lock, and the word that spares healthy calls the lock.

use std::sync::Arc as StdArc;

use super::outbox::Outbox;
use super::relations::Relations;
use super::tally::Tally;
use super::word::{Ticket, Word};
use crate::clock::{Time, TimeSource};
use crate::config::{Config, Settings};
use crate::event::{Event, Hooks, Reason};
use crate::evidence::Evidence;
use crate::fleet::Fleet;
use crate::key::Key;
use crate::machine::{Entry, Era, Face, Machine, Transition, Verdict};
use crate::nesting;
use crate::rejection::{CircuitOpen, Rejection, RejectionReason};
use crate::report::Report;
use crate::rules::Rules;
use crate::site::Site;
use crate::snapshot::Snapshot;
use crate::stage::{AdmittedBy, Stage};
use crate::state::State;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::watch::Watch;

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

/// The order in which circuits may be evicted: the first go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    ClosedWithoutStreak,
    ClosedWithStreak,
    CooldownOver,
}

/// The right to make a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub(crate) ticket: Ticket,
    pub(crate) stage: Stage,
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

    /// Lets a call in, or rejects it.
    #[inline]
    pub(crate) fn admit(&self, site: &'static Site) -> Result<Admission, CircuitOpen> {
        let word = self.word();
        if word.is_closed_and_untimed() {
            return Ok(Admission { ticket: word.ticket(), stage: Stage::COMMON });
        }
        self.admit_slowly(word, site)
    }

    #[cold]
    fn admit_slowly(&self, word: Word, site: &'static Site) -> Result<Admission, CircuitOpen> {
        let (ticket, by) = if word.is_closed() {
            (word.ticket(), AdmittedBy::ClosedCircuit)
        } else {
            let (era, by) = self.admit_unless_open(word, site)?;
            (Ticket::new(era, word.is_timed()), by)
        };
        let started = if word.is_timed() { self.now() } else { Time::ORIGIN };
        Ok(Admission { ticket, stage: Stage::admitted(by, started) })
    }

    fn admit_unless_open(&self, word: Word, site: &'static Site) -> Result<(Era, AdmittedBy), CircuitOpen> {
        if word.is_held() {
            return Err(self.reject(site, RejectionReason::HeldOpen, None, Time::ORIGIN));
        }
        let now = self.now();
        if word.is_open() {
            let until = Time::from_nanos(self.open_until.load(Ordering::Acquire));
            if now < until {
                return Err(self.reject(site, RejectionReason::InCooldown, Some(until), now));
            }
        }
        let mut guarded = self.lock();
        if let Some(era) = nesting::outer_era(self.identity(), |era| guarded.machine.is_probing(era)) {
            return Ok((era, AdmittedBy::OuterProbe));
        }
        let (entry, transition) = guarded.machine.enter(self.config.settings(), site.may_probe, now);
        self.publish(&guarded.machine, now);
        let by = match guarded.machine.state(now) {
            // It closed since the word was read.
            State::Closed => AdmittedBy::ClosedCircuit,
            State::Open | State::HalfOpen => AdmittedBy::OwnProbe,
        };
        self.unlock_and_tell(guarded, transition, site.operation, now);
        match entry {
            Entry::Admitted(era) => Ok((era, by)),
            Entry::Rejected { reason, until } => Err(self.reject(site, reason, until, now)),
        }
    }

    fn reject(&self, site: &Site, reason: RejectionReason, until: Option<Time>, now: Time) -> CircuitOpen {
        self.relations.add_rejection();
        let open = CircuitOpen::new(Rejection {
            connection: self.connection.clone(),
            operation: site.operation,
            reason,
            retry_after: until.map(|until| until.since(now)),
        });
        self.watch.rejection(&open);
        open
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

    /// Puts the event of a transition in the outbox, unlocks, and tells the fleet and the hooks what is there.
    fn unlock_and_tell(
        &self,
        mut guarded: MutexGuard<'_, Guarded>,
        transition: Option<Transition>,
        operation: Option<&'static str>,
        now: Time,
    ) {
        let news = guarded.machine.start_telling();
        let has_event = transition.is_some_and(|transition| self.put_event(&mut guarded, transition, operation, now));
        drop(guarded);
        if !news.is_empty() {
            self.tell_fleet(news);
        }
        if has_event {
            self.deliver();
        }
    }

    fn put_event(
        &self,
        guarded: &mut Guarded,
        transition: Transition,
        operation: Option<&'static str>,
        now: Time,
    ) -> bool {
        self.watch.transition(transition);
        if self.surroundings.hooks.is_empty() {
            return false;
        }
        let connection = Key::from(self.connection.clone());
        let Transition { from, to, reason } = transition;
        let retry_after = guarded.machine.cooldown_until(now).map(|until| until.since(now));
        guarded.outbox.put(Event { connection, from, to, reason, operation, retry_after });
        true
    }

    /// Tells the hooks, outside the lock and in order: who finds another thread at it leaves its event to that one.
    fn deliver(&self) {
        let mut batch = self.lock().outbox.start();
        while let Some(events) = batch {
            for event in &events {
                self.surroundings.hooks.tell(event);
            }
            batch = self.lock().outbox.go_on();
        }
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
