//! Counters and last results of a circuit, for snapshots, and its events that are not delivered yet.

use super::CallSite;
use crate::clock::{Reading, Time};
use crate::event::{Event, Last};
use crate::evidence::{Evidence, Judgement, TypeName};
use crate::machine::{CallNumber, Settlement, Transition};
use crate::ordered_delivery::OrderedDelivery;

/// The events of a circuit that may wait for a slow hook.
const MOST_WAITING_EVENTS: usize = 1_024;

/// Counters of all results except plain successes. Counting those would cost every healthy call a shared write.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) answers: u64,
    pub(super) failed: u64,
    // These two are half as large, because each unit takes a cooldown or a failure. They stop at their maximum.
    pub(super) opened: u32,
    pub(super) cleared: u32,
    pub(super) last_failure: Option<LastResult>,
    pub(super) last_answer: Option<LastResult>,
    /// Boxed, because most circuits that count failures or answers never have one of these.
    rare: Option<Box<Rare>>,
}

/// Counters of results that are not evidence, the numbers of calls, and the events that are not delivered yet.
#[derive(Debug)]
pub(super) struct Rare {
    /// The last number that a call with inner calls got.
    last_number: CallNumber,
    pub(super) unknown: u64,
    pub(super) dropped: u64,
    pub(super) stale: u64,
    pub(super) merged_events: u64,
    outbox: OrderedDelivery<Event>,
}

/// A remembered result. The error's message is left out because it may contain secrets.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastResult {
    call_site: &'static CallSite,
    error: Option<TypeName>,
    at: Reading,
}

impl Counters {
    pub(super) fn add(&mut self, judgement: Judgement, settlement: &Settlement, result: LastResult) {
        if settlement.transition().is_some_and(Transition::is_opening) {
            self.add_opening();
        }
        let cleared = match settlement {
            Settlement::Recorded { cleared, .. } => *cleared,
            Settlement::CountedAlready { .. } => return,
            Settlement::Stale => {
                self.rare.get_or_insert_default().stale += 1;
                return;
            }
        };
        match judgement.evidence() {
            Evidence::Answered => {
                self.cleared = self.cleared.saturating_add(cleared);
                self.add_answer(u64::from(judgement.is_marked()), result);
            }
            Evidence::Failed => self.add_failure(result),
            Evidence::Unknown if judgement.is_dropped() => {}
            Evidence::Unknown => self.rare.get_or_insert_default().unknown += 1,
        }
        if judgement.is_dropped() {
            self.rare.get_or_insert_default().dropped += 1;
        }
    }

    pub(super) fn add_opening(&mut self) {
        self.opened = self.opened.saturating_add(1);
    }

    #[inline]
    pub(super) fn add_answer(&mut self, marked: u64, result: LastResult) {
        self.answers += marked;
        self.last_answer = Some(result);
    }

    #[inline]
    pub(super) fn add_failure(&mut self, result: LastResult) {
        self.failed += 1;
        self.last_failure = Some(result);
    }

    /// The number that the next call with inner calls gets.
    pub(super) fn next_number(&self) -> CallNumber {
        self.rare().map_or(CallNumber::NONE, |rare| rare.last_number).next()
    }

    pub(super) fn use_number(&mut self, number: CallNumber) {
        self.rare.get_or_insert_default().last_number = number;
    }

    pub(super) fn rare(&self) -> Option<&Rare> {
        self.rare.as_deref()
    }

    /// Queues an event. If too many wait already, it is merged with the newest of them: into one event that leads from the
    /// state before both to the state after both, so that the chain of events has no gap.
    pub(super) fn push_event(&mut self, event: Event) {
        let rare = self.rare.get_or_insert_default();
        if let Some(newest) = rare.outbox.last_of(MOST_WAITING_EVENTS) {
            *newest = Event { from: newest.from, ..event };
            rare.merged_events += 1;
        } else {
            rare.outbox.push(event);
        }
    }

    /// Starts a delivery of events: see [`OrderedDelivery::start`].
    pub(super) fn start_delivery(&mut self) -> Option<Event> {
        self.rare.as_mut()?.outbox.start()
    }

    /// Continues a delivery of events: see [`OrderedDelivery::next_item`].
    pub(super) fn next_event(&mut self) -> Option<Event> {
        let event = self.rare.as_mut()?.outbox.next_item();
        // An event is delivered in a moment, so the memory for it is released if nothing else was counted.
        if event.is_none() && self.rare().is_some_and(Rare::has_counted_nothing) {
            self.rare = None;
        }
        event
    }
}

impl Default for Rare {
    fn default() -> Self {
        Self {
            last_number: CallNumber::NONE,
            unknown: 0,
            dropped: 0,
            stale: 0,
            merged_events: 0,
            outbox: OrderedDelivery::default(),
        }
    }
}

impl Rare {
    fn has_counted_nothing(&self) -> bool {
        let Self { last_number, unknown, dropped, stale, merged_events, outbox: _ } = self;
        *last_number == CallNumber::NONE && [unknown, dropped, stale, merged_events].iter().all(|count| **count == 0)
    }
}

impl LastResult {
    #[inline]
    pub(super) fn new(judgement: Judgement, call_site: &'static CallSite, at: Reading) -> Self {
        Self { call_site, error: judgement.error, at }
    }

    /// When the call ended.
    pub(super) fn at(&self) -> Time {
        self.at.time()
    }

    /// This result as a snapshot at `now` shows it.
    pub(super) fn seen_at(&self, now: Time) -> Last {
        let error = self.error.map(|name| name());
        Last { operation: self.call_site.operation, error, age: now.since(self.at()) }
    }

    /// The later of two results.
    pub(super) fn later(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).max_by_key(Self::at)
    }
}
