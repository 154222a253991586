//! The choice of the circuit for a request.

use std::fmt;
use std::sync::Arc;

use crate::circuit::Circuit;
use crate::key::Key;
use crate::registry::Registry;

/// Chooses the circuit of a request: by its key, or always the same one.
pub trait ChooseCircuit<Request> {
    /// Returns the circuit of this request.
    fn choose(&self, request: &Request) -> Circuit;
}

impl<Request> ChooseCircuit<Request> for Circuit {
    fn choose(&self, _: &Request) -> Circuit {
        self.clone()
    }
}

/// Chooses by a key, which a function derives from the request.
#[derive(Clone)]
pub struct ByKey<F> {
    key: Arc<F>,
    /// `None` is the global registry. It is resolved at the first request, so that the program can set it before.
    registry: Option<Registry>,
}

impl<F> ByKey<F> {
    pub(super) fn new(key: F) -> Self {
        Self { key: Arc::new(key), registry: None }
    }

    pub(super) fn within(&self, registry: Registry) -> Self {
        Self { key: self.key.clone(), registry: Some(registry) }
    }
}

impl<Request, F: Fn(&Request) -> Key<'_>> ChooseCircuit<Request> for ByKey<F> {
    fn choose(&self, request: &Request) -> Circuit {
        let registry = self.registry.as_ref().unwrap_or_else(|| Registry::global());
        registry.circuit(&(self.key)(request))
    }
}

impl<F> fmt::Debug for ByKey<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByKey").field("registry", &self.registry).finish_non_exhaustive()
    }
}
