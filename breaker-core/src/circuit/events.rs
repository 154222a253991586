//! What a change of state tells, once the lock is free.

use super::Inner;
use super::inner::Locked;
use crate::clock::Time;
use crate::event::Event;
use crate::key::Key;
use crate::machine::Transition;
use crate::sync::MutexGuard;

impl Inner {
    /// Puts the event of a transition in the outbox, unlocks, and tells the fleet and the hooks what is there.
    pub(super) fn unlock_and_tell(
        &self,
        mut guarded: MutexGuard<'_, Locked>,
        transition: Option<Transition>,
        operation: Option<&'static str>,
        now: Time,
    ) {
        let news = guarded.machine.start_reporting();
        let has_event = transition.is_some_and(|transition| self.put_event(&mut guarded, transition, operation, now));
        drop(guarded);
        if !news.is_empty() {
            self.report_to_fleet(news);
        }
        if has_event {
            self.deliver();
        }
    }

    fn put_event(
        &self,
        guarded: &mut Locked,
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
        let retry_after = guarded.machine.cooldown_until(now).map(|until| until.since(now));
        guarded.outbox.push(Event { connection, from, to, reason, operation, retry_after });
        true
    }

    /// Tells the hooks, outside the lock and in order: who finds another thread at it leaves its event to that one.
    fn deliver(&self) {
        let mut batch = self.lock().outbox.start();
        while !batch.is_empty() {
            for event in &batch {
                self.context.hooks.notify(event);
            }
            batch = self.lock().outbox.next_batch();
        }
    }
}
