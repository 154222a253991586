//! Ordered delivery of items by one thread at a time.

/// A queue whose items are delivered in order. The thread that adds an item starts a delivery. If another thread is
/// already delivering, the item is left to that thread, which drains the queue before it returns.
#[derive(Debug)]
pub(crate) struct OrderedDelivery<T> {
    items: Vec<T>,
    is_in_progress: bool,
}

impl<T> Default for OrderedDelivery<T> {
    fn default() -> Self {
        Self { items: Vec::new(), is_in_progress: false }
    }
}

impl<T> OrderedDelivery<T> {
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// The newest queued item, if this many or more are queued.
    pub(crate) fn last_of(&mut self, many: usize) -> Option<&mut T> {
        if self.items.len() < many { None } else { self.items.last_mut() }
    }

    /// Takes the queued items, or an empty batch if another thread is delivering, which takes them later.
    pub(crate) fn start(&mut self) -> Vec<T> {
        if self.is_in_progress { Vec::new() } else { self.next_batch() }
    }

    /// Takes the items added since the last batch. An empty batch ends the delivery.
    pub(crate) fn next_batch(&mut self) -> Vec<T> {
        self.is_in_progress = !self.items.is_empty();
        std::mem::take(&mut self.items)
    }
}
