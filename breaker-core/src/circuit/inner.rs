//! The shared part of a circuit: the state machine under a lock, and the state word that healthy calls read instead.
//!
//! The fields of [`Inner`] are `pub(super)` because its methods are spread over five more files, one concern each:
//! `admission`, `events`, `eviction_rank`, `fleet` and `outer_calls`.

use std::sync::Arc as StdArc;

use super::counters::{Counters, LastResult, Rare};
use super::flags::Flags;
use super::nesting::InnerReports;
use super::state_word::{StateWord, Ticket};
use super::stripes::Stripes;
use super::{CallSite, nesting};
use crate::clock::{Time, TimeSource};
use crate::config::{Config, Settings};
use crate::event::{Reason, Snapshot};
use crate::evidence::{Evidence, Judgement};
use crate::fleet::Fleet;
use crate::key::Key;
use crate::machine::{CallEnd, HasFleet, Jitter, JitterSeed, Machine, Settlement, Transition, Transitions};
use crate::state::State;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::telemetry::{Hooks, Telemetry};

/// What all circuits of a registry share.
#[derive(Default)]
pub(crate) struct CircuitContext {
    pub(crate) time: TimeSource,
    pub(crate) jitter_seed: JitterSeed,
    pub(crate) hooks: Hooks,
    pub(crate) stripes: Stripes,
    /// The connection to the other processes that share the circuits, if they are shared.
    pub(crate) fleet: Option<StdArc<dyn Fleet>>,
    /// The counts that evicted circuits had not reported yet.
    #[cfg(feature = "metrics")]
    pub(crate) retired: crate::telemetry::Retired,
}

/// The shared part of a circuit, to which each [`Circuit`](super::Circuit) is a handle.
pub(crate) struct Inner {
    /// A [`StateWord`], which documents the protocol of its reads and writes.
    pub(super) state_word: AtomicU64,
    /// The time before which an open circuit, or a half-open one without a free slot, rejects every call, in nanoseconds:
    /// see [`StateWord`].
    pub(super) rejects_until: AtomicU64,
    pub(super) flags: Flags,
    /// When the circuit was last looked up, in nanoseconds, or recorded a result that is not among the last results.
    pub(super) last_used: AtomicU64,
    pub(super) locked: Mutex<Locked>,
    pub(super) connection: StdArc<str>,
    pub(super) config: Config,
    pub(super) context: StdArc<CircuitContext>,
    pub(super) telemetry: Telemetry,
}

/// The part of a circuit under its lock.
#[derive(Debug)]
pub(super) struct Locked {
    pub(super) machine: Machine,
    /// Boxed, because a circuit that was always healthy has none.
    pub(super) counters: Option<Box<Counters>>,
}

impl Inner {
    pub(crate) fn new(connection: StdArc<str>, config: Config, context: StdArc<CircuitContext>, now: Time) -> Self {
        let fleet = if context.fleet.is_some() { HasFleet::Yes } else { HasFleet::No };
        let machine = Machine::new(config.settings(), fleet);
        Self {
            state_word: AtomicU64::new(
                StateWord::new(machine.era(), machine.published(config.settings()), is_timed(&config)).0,
            ),
            rejects_until: AtomicU64::new(0),
            flags: Flags::listed(),
            last_used: AtomicU64::new(now.as_nanos()),
            locked: Mutex::new(Locked { machine, counters: None }),
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

    /// Returns the judgement of a call that was dropped before it finished.
    ///
    /// `started` returns when the call began, given the current time. It is called only if `dropped_after` is set,
    /// because calls record their start only then.
    pub(crate) fn judgement_of_drop(&self, started: impl FnOnce(Time) -> Time) -> Judgement {
        let ran_too_long = self.config.settings().dropped_after.is_some_and(|limit| {
            let now = self.now();
            now.since(started(now)) > limit
        });
        Judgement::dropped(ran_too_long)
    }

    /// Records a plain success without the lock, provided that it has no effect on the circuit. Returns `false` if the
    /// caller must record it under the lock.
    #[inline]
    pub(crate) fn record_plain_success(&self, ticket: Ticket) -> bool {
        let is_idle = self.idle_ticket() == ticket;
        if is_idle {
            self.telemetry.plain_success();
        }
        is_idle
    }

    /// The ticket of the calls whose success has no effect now. If no call has one, it is equal to no ticket.
    #[inline]
    pub(crate) fn idle_ticket(&self) -> Ticket {
        self.state_word().as_ticket()
    }

    /// Counts a success that has no effect on the circuit.
    #[inline]
    pub(crate) fn count_plain_success(&self) {
        self.telemetry.plain_success();
    }

    /// Records the judgement of a finished call, whose inner calls have made these reports. Returns `false` if the call
    /// was admitted in an earlier era, so that its result was ignored.
    pub(crate) fn record(
        &self,
        ticket: Ticket,
        judgement: Judgement,
        reports: InnerReports,
        call_site: &'static CallSite,
    ) -> bool {
        if judgement.is_plain_success() && self.record_plain_success(ticket) {
            return true;
        }
        let reading = self.context.time.read();
        let now = reading.time();
        let era = ticket.era();
        let outer = nesting::outer_ticket(self.identity(), era);
        let mut locked = self.lock();
        let (settings, jitter) = (self.config.settings(), self.jitter());
        let nesting = locked.nesting(ticket, outer);
        let call = CallEnd {
            era,
            evidence: judgement.evidence(),
            is_marked: judgement.is_marked(),
            nesting,
            inner_failed: reports.strongest() == Some(Evidence::Failed),
        };
        let settlement = locked.machine.record(settings, jitter, call, now);
        self.publish(&locked.machine, now);
        self.telemetry.result(judgement, &settlement);
        let result = LastResult::new(judgement, call_site, reading);
        locked.counters.get_or_insert_default().add(judgement, &settlement, result);
        self.number_outer_call(&mut locked, outer, nesting);
        self.last_used.store(now.as_nanos(), Ordering::Relaxed);
        self.unlock_and_publish(locked, settlement.transition().into(), call_site.operation, now);
        settlement != Settlement::Stale
    }

    /// The ticket of the rest of a call that was a probe, given the ticket of the probe. If the circuit did not close
    /// through its probes, the ticket stays that of the probe, whose slot was released, so the result is stale.
    pub(crate) fn ticket_after_probe(&self, probe: Ticket) -> Ticket {
        let era = self.with_machine(|machine| machine.era_after_probe(probe.era()));
        era.map_or(probe, |era| Ticket::new(era, is_timed(&self.config)))
    }

    pub(crate) fn trip(&self) {
        self.apply(|machine, now| machine.trip(self.config.settings(), self.jitter(), now));
    }

    pub(crate) fn hold_open(&self) {
        self.apply(Machine::hold_open);
    }

    pub(crate) fn reset(&self) {
        self.apply(|machine, now| machine.reset(self.config.settings(), now));
    }

    /// Resets the circuit in this process only, without a report to the fleet.
    pub(crate) fn reset_locally(&self) {
        self.apply(|machine, now| machine.reset_locally(self.config.settings(), now));
    }

    /// Publishes an event that is not a change of state, in order with those that are.
    pub(crate) fn publish_event(&self, reason: Reason) {
        let now = self.now();
        let locked = self.lock();
        let state = locked.machine.announced();
        self.unlock_and_publish(locked, Some(Transition { from: state, to: state, reason }).into(), None, now);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn end_cooldown(&self) {
        self.apply(Machine::end_cooldown);
    }

    /// Applies a change that is not the result of a call: a command of the user, or an update of the fleet.
    pub(super) fn apply(&self, change: impl FnOnce(&mut Machine, Time) -> Transitions) {
        let now = self.now();
        let mut locked = self.lock();
        let transitions = change(&mut locked.machine, now);
        self.publish(&locked.machine, now);
        if transitions.iter().any(Transition::is_opening) {
            locked.counters.get_or_insert_default().add_opening();
        }
        self.unlock_and_publish(locked, transitions, None, now);
    }

    pub(crate) fn state(&self) -> State {
        let word = self.state_word();
        if word.is_closed() {
            return State::Closed;
        }
        let now = self.now();
        self.lock().machine.state(now)
    }

    pub(crate) fn snapshot(&self, now: Time) -> Snapshot {
        let striped = self.striped_counts();
        let locked = self.lock();
        let machine = &locked.machine;
        let nothing = Counters::default();
        let counters = locked.counters.as_deref().unwrap_or(&nothing);
        let rare = |count: fn(&Rare) -> u64| counters.rare().map_or(0, count);
        Snapshot {
            connection: Key::from(self.connection.clone()),
            state: machine.state(now),
            held: machine.is_held(),
            streak: machine.streak(self.config.settings(), now),
            retry_after: machine.cooldown_until(now).map(|until| until.since(now)),
            times_opened: counters.opened.into(),
            marked_answers: counters.answers + striped.answers,
            failed: counters.failed,
            unknown: rare(|rare| rare.unknown),
            rejected: self.flags.rejections() + striped.rejections,
            dropped: rare(|rare| rare.dropped),
            stale: rare(|rare| rare.stale),
            merged_events: rare(|rare| rare.merged_events),
            failures_cleared_by_answers: counters.cleared.into(),
            last_failure: counters.last_failure.as_ref().map(|result| result.seen_at(now)),
            last_answer: LastResult::later(counters.last_answer, striped.last_answer).map(|result| result.seen_at(now)),
        }
    }

    /// A number that no other circuit has at the same time: the address of this one.
    #[inline]
    pub(crate) fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    #[inline]
    pub(super) fn state_word(&self) -> StateWord {
        StateWord(self.state_word.load(Ordering::Acquire))
    }

    /// The later of the last failure and the last marked answer.
    pub(super) fn last_result(&self) -> Option<LastResult> {
        let striped = self.striped_counts().last_answer;
        let locked = self.lock();
        let counters = locked.counters.as_deref();
        let latest = counters.and_then(|counters| LastResult::later(counters.last_failure, counters.last_answer));
        LastResult::later(latest, striped)
    }

    fn jitter(&self) -> Jitter<'_> {
        Jitter { seed: self.context.jitter_seed, connection: &self.connection }
    }

    pub(super) fn settings(&self) -> &Settings {
        self.config.settings()
    }

    pub(super) fn fleet(&self) -> Option<&dyn Fleet> {
        self.context.fleet.as_deref()
    }

    /// Runs a function on the machine that changes nothing in the state word and causes no event.
    pub(super) fn with_machine<T>(&self, run: impl FnOnce(&mut Machine) -> T) -> T {
        run(&mut self.lock().machine)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Locked> {
        lock(&self.locked)
    }

    /// Publishes the state of the machine to readers without the lock. The caller holds the lock.
    pub(super) fn publish(&self, machine: &Machine, now: Time) {
        let published = machine.published(self.settings());
        self.telemetry.published(published, now);
        let word = StateWord::new(machine.era(), published, is_timed(&self.config));
        if let Some(until) = published.rejects_until().map(Time::as_nanos) {
            if until != self.rejects_until.load(Ordering::Relaxed) {
                // A reader that loads the new time after an older word finds a different word when it loads that again.
                self.state_word.store(word.changing().0, Ordering::Relaxed);
                self.rejects_until.store(until, Ordering::Release);
            }
        }
        self.state_word.store(word.0, Ordering::Release);
    }
}

/// Whether calls record their start. With `dropped_after`, the judgement of a dropped call depends on its age.
fn is_timed(config: &Config) -> bool {
    config.settings().dropped_after.is_some()
}

#[cfg(feature = "metrics")]
impl Inner {
    /// Takes the counts since the last sample, with the current state.
    pub(crate) fn take_sample(&self, now: Time) -> crate::telemetry::Sample {
        let mut sample = self.telemetry.metrics.take(now);
        self.add_striped_rejections(&mut sample.counts);
        sample
    }

    /// Takes the rejections in stripes.
    fn add_striped_rejections(&self, counts: &mut crate::telemetry::Counts) {
        if self.flags.is_striped() {
            counts.add_rejections(&self.context.stripes.take_rejections(self.identity()));
        }
    }
}

impl Drop for Inner {
    /// Removes the counts in stripes, and keeps the counts for metrics that were not reported yet. This reads no clock,
    /// because a part of the registry's map may be locked here and a clock may be code of the user's.
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        {
            let mut counts = self.telemetry.metrics.take_counts();
            self.add_striped_rejections(&mut counts);
            self.context.retired.add(&counts);
        }
        if self.flags.is_striped() {
            self.context.stripes.remove(self.identity());
        }
    }
}
