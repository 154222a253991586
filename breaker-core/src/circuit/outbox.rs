//! Events on their way to the hooks.

use crate::event::Event;

/// The events of one circuit, in order. One thread at a time takes them out.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Boxed, for it is nearly always empty.
    #[expect(clippy::box_collection, reason = "eight bytes in each circuit instead of 24")]
    events: Option<Box<Vec<Event>>>,
    being_delivered: bool,
}

impl Outbox {
    pub(super) fn put(&mut self, event: Event) {
        self.events.get_or_insert_default().push(event);
    }

    /// The events to deliver, or `None` where a thread is at it already, which will find them.
    pub(super) fn start(&mut self) -> Option<Vec<Event>> {
        if self.being_delivered { None } else { self.go_on() }
    }

    /// What has come since; `None` ends the delivery.
    pub(super) fn go_on(&mut self) -> Option<Vec<Event>> {
        let events = self.events.take().map(|events| *events);
        self.being_delivered = events.is_some();
        events
    }
}
