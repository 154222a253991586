//! Entries of the map of a registry.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use crate::circuit::Circuit;

/// A circuit that is found by its key. The circuit stores the key, so the map does not store it again.
pub(super) struct CircuitEntry(Circuit);

impl CircuitEntry {
    pub(super) fn new(circuit: Circuit) -> Self {
        Self(circuit)
    }

    pub(super) fn circuit(&self) -> &Circuit {
        &self.0
    }
}

impl Deref for CircuitEntry {
    type Target = Circuit;

    fn deref(&self) -> &Circuit {
        &self.0
    }
}

impl Borrow<str> for CircuitEntry {
    fn borrow(&self) -> &str {
        self.0.connection()
    }
}

impl Hash for CircuitEntry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.connection().hash(state);
    }
}

/// Compares keys, because a map has one circuit for each key.
impl PartialEq for CircuitEntry {
    fn eq(&self, other: &Self) -> bool {
        self.0.connection() == other.0.connection()
    }
}

impl Eq for CircuitEntry {}
