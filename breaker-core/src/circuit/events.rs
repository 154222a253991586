//! Delivery of events after the lock is released.

use super::Inner;
use super::counters::Counters;
use super::inner::Locked;
use super::nesting::HiddenCalls;
use crate::clock::Time;
use crate::event::Event;
use crate::key::Key;
use crate::machine::{Transition, Transitions};
use crate::state::State;
use crate::sync::MutexGuard;

impl Inner {
    /// Queues the events of transitions, releases the lock, and then delivers the reports to the fleet and the events
    /// to the hooks.
    ///
    /// Hooks run outside the lock because they may call anything, this circuit included. Events are queued
    /// under the lock so that hooks receive them in the order of the transitions.
    pub(super) fn unlock_and_publish(
        &self,
        mut locked: MutexGuard<'_, Locked>,
        transitions: Transitions,
        operation: Option<&'static str>,
        now: Time,
    ) {
        let report = locked.machine.start_reporting();
        let mut has_event = false;
        for transition in transitions.iter() {
            has_event |= self.queue_event(&mut locked, transition, operation, now);
        }
        drop(locked);
        if let Some(report) = report {
            self.report_to_fleet(report);
        }
        if has_event {
            self.deliver_events();
        }
    }

    /// Queues the event of a transition. Returns `false` if no hook would receive it.
    fn queue_event(
        &self,
        locked: &mut Locked,
        transition: Transition,
        operation: Option<&'static str>,
        now: Time,
    ) -> bool {
        self.telemetry.transition(transition);
        if self.context.hooks.is_empty() {
            return false;
        }
        let connection = Key::from(self.connection.clone());
        let Transition { from, to, reason } = transition;
        // The machine is in the state after the last of several transitions.
        let until = if to == State::Open { locked.machine.cooldown_until(now) } else { None };
        let retry_after = until.map(|until| until.since(now));
        locked.counters.get_or_insert_default().push_event(Event {
            connection,
            from,
            to,
            reason,
            operation,
            retry_after,
        });
        true
    }

    /// Delivers queued events to the hooks, in order and outside the lock. If another thread is already delivering, the
    /// events are left to that thread, which takes the next one before it stops.
    fn deliver_events(&self) {
        // A hook is not a part of the call that caused the event, whose permit its calls must not use.
        let _hidden = HiddenCalls::hide();
        let mut next = self.change_counters(Counters::start_delivery);
        while let Some(event) = next {
            self.context.hooks.notify(&event);
            next = self.change_counters(Counters::next_event);
        }
    }

    fn change_counters<T>(&self, change: impl FnOnce(&mut Counters) -> Option<T>) -> Option<T> {
        self.lock().counters.as_deref_mut().and_then(change)
    }
}
