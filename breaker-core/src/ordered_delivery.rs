//! Ordered delivery of items by one thread at a time.

use std::collections::VecDeque;

/// A queue whose items are delivered in order. The thread that adds an item starts a delivery. If another thread is
/// already delivering, the item is left to that thread, which drains the queue before it returns.
#[derive(Debug)]
pub(crate) struct OrderedDelivery<T> {
    items: VecDeque<T>,
    is_in_progress: bool,
}

impl<T> Default for OrderedDelivery<T> {
    fn default() -> Self {
        Self { items: VecDeque::new(), is_in_progress: false }
    }
}

impl<T> OrderedDelivery<T> {
    pub(crate) fn push(&mut self, item: T) {
        self.items.push_back(item);
    }

    /// The newest queued item, if this many or more are queued.
    pub(crate) fn last_of(&mut self, many: usize) -> Option<&mut T> {
        if self.items.len() < many { None } else { self.items.back_mut() }
    }

    /// Takes the first item, or none if another thread is delivering, which takes it later.
    pub(crate) fn start(&mut self) -> Option<T> {
        if self.is_in_progress { None } else { self.next_item() }
    }

    /// Takes the next item. The delivery ends if there is none.
    pub(crate) fn next_item(&mut self) -> Option<T> {
        let item = self.items.pop_front();
        self.is_in_progress = item.is_some();
        if item.is_none() {
            self.items = VecDeque::new();
        }
        item
    }
}
