//! The event hooks of a registry.

use crate::event::Event;
use crate::panics::contained;

/// A function that receives every event.
pub(crate) type Hook = Box<dyn Fn(&Event) + Send + Sync>;

/// All hooks of a registry.
#[derive(Default)]
pub(crate) struct Hooks(Vec<Hook>);

impl From<Vec<Hook>> for Hooks {
    fn from(hooks: Vec<Hook>) -> Self {
        Self(hooks)
    }
}

impl Hooks {
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
