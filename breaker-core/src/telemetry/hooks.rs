//! The event hooks of a registry.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::event::Event;

/// A function that is told of every event.
pub(crate) type Hook = Box<dyn Fn(&Event) + Send + Sync>;

/// All hooks of a registry.
#[derive(Default)]
pub(crate) struct Hooks(Vec<Hook>);

impl Hooks {
    pub(crate) fn new(hooks: Vec<Hook>) -> Self {
        Self(hooks)
    }

    /// Whether nobody wants to hear of an event.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty() && !WANTS_EVENTS
    }

    /// Tells every hook. The panic of one is printed by the panic handler and stops neither the others nor the caller.
    pub(crate) fn tell(&self, event: &Event) {
        contained(|| trace(event));
        for hook in &self.0 {
            contained(|| hook(event));
        }
    }
}

/// Runs what is not ours, and goes on where it panics.
pub(crate) fn contained(hook: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(hook)) {
        // The payload is the user's value, and dropping it may panic once more.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
    }
}

/// Whether events are worth making although nobody hooked on.
const WANTS_EVENTS: bool = cfg!(feature = "tracing");

/// Hears an event, outside every lock and in order for each circuit, before the hooks do.
#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "nobody listens"))]
fn trace(event: &Event) {
    #[cfg(feature = "tracing")]
    super::tracing::event(event);
}
