//! What a fleet sees of a registry.

use std::sync::{Arc, Weak};

use super::{Registry, Shared};
use crate::circuit::Circuit;

/// A registry that is kept alive by others, if it is.
#[derive(Clone)]
pub(crate) struct WeakRegistry(Weak<Shared>);

impl WeakRegistry {
    pub(crate) fn upgrade(&self) -> Option<Registry> {
        self.0.upgrade().map(Registry)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl Registry {
    pub(crate) fn downgrade(&self) -> WeakRegistry {
        WeakRegistry(Arc::downgrade(&self.0))
    }

    /// The circuit of this key, idle or not, if there is one. Asking does not keep it.
    pub(crate) fn present_circuit(&self, key: &str) -> Option<Circuit> {
        self.0.circuits.get(key).map(|entry| entry.key().circuit().clone())
    }

    pub(crate) fn connections(&self) -> Vec<Arc<str>> {
        let listed = self.0.circuits.iter().filter(|entry| entry.key().inner().is_listed());
        listed.map(|entry| entry.key().inner().connection().clone()).collect()
    }
}
