//! Events on their way to the hooks.

use crate::event::Event;

/// The events of one circuit, in order. One thread at a time takes them out.
///
/// Boxed and only there while a delivery is due or under way: eight bytes in each circuit.
#[derive(Debug, Default)]
pub(super) struct Outbox(Option<Box<Delivery>>);

#[derive(Debug, Default)]
struct Delivery {
    events: Vec<Event>,
    is_under_way: bool,
}

impl Outbox {
    pub(super) fn put(&mut self, event: Event) {
        self.0.get_or_insert_default().events.push(event);
    }

    /// The events to deliver, or `None` where a thread is at it already, which will find them.
    pub(super) fn start(&mut self) -> Option<Vec<Event>> {
        if self.0.as_ref().is_some_and(|delivery| delivery.is_under_way) { None } else { self.go_on() }
    }

    /// The events that have come since; `None` ends the delivery.
    pub(super) fn go_on(&mut self) -> Option<Vec<Event>> {
        let delivery = self.0.as_mut()?;
        if delivery.events.is_empty() {
            self.0 = None;
            return None;
        }
        delivery.is_under_way = true;
        Some(std::mem::take(&mut delivery.events))
    }
}
