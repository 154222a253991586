//! The event hooks of a registry.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::event::Event;

/// A function that receives every event.
pub(crate) type Hook = Box<dyn Fn(&Event) + Send + Sync>;

/// All hooks of a registry.
#[derive(Default)]
pub(crate) struct Hooks(Vec<Hook>);

impl Hooks {
    pub(crate) fn new(hooks: Vec<Hook>) -> Self {
        Self(hooks)
    }

    /// Whether no receiver exists, so that events need not be made.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty() && !cfg!(feature = "tracing")
    }

    /// Emits the event to `tracing` and then passes it to every hook, outside every lock and in order for each circuit.
    pub(crate) fn notify(&self, event: &Event) {
        #[cfg(feature = "tracing")]
        contained(|| super::tracing::event(event));
        for hook in &self.0 {
            contained(|| hook(event));
        }
    }
}

/// Runs code of the user's or of another crate, and returns normally where it panics. The panic handler prints the panic,
/// as usual.
pub(crate) fn contained(run: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
        // The payload is a value of the user's, and dropping it may panic once more.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
    }
}
