//! What a circuit has to tell, in order, with one thread at a time that tells it.

/// Whoever puts something in starts a delivery. Who finds another thread at it leaves it to that one, which comes back for
/// more until there is nothing.
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

    /// What there is to tell, unless a thread is at it already, which will find it.
    pub(crate) fn start(&mut self) -> Vec<T> {
        if self.is_in_progress { Vec::new() } else { self.next_batch() }
    }

    /// What has come since; nothing ends the delivery.
    pub(crate) fn next_batch(&mut self) -> Vec<T> {
        self.is_in_progress = !self.items.is_empty();
        std::mem::take(&mut self.items)
    }
}
