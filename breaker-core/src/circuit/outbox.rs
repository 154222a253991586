//! Queued events of a circuit.

use crate::event::Event;
use crate::ordered_delivery::OrderedDelivery;

/// The queued events of one circuit. Boxed and present only during a delivery, so that it takes eight bytes in each
/// circuit.
#[derive(Debug, Default)]
pub(super) struct Outbox(Option<Box<OrderedDelivery<Event>>>);

impl Outbox {
    pub(super) fn push(&mut self, event: Event) {
        self.0.get_or_insert_default().push(event);
    }

    /// Starts a delivery: see [`OrderedDelivery::start`].
    pub(super) fn start(&mut self) -> Vec<Event> {
        self.0.as_mut().map(|delivery| delivery.start()).unwrap_or_default()
    }

    /// Continues a delivery: see [`OrderedDelivery::next_batch`].
    pub(super) fn next_batch(&mut self) -> Vec<Event> {
        let events = self.0.as_mut().map(|delivery| delivery.next_batch()).unwrap_or_default();
        if events.is_empty() {
            self.0 = None;
        }
        events
    }
}
