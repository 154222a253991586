//! Handles to a circuit for the length of one call.

use std::sync::Arc;

use super::Circuit;

/// A way to hold a circuit for the length of one call.
pub trait Hold {
    #[doc(hidden)]
    fn circuit(&self) -> &Circuit;
}

impl Hold for &Circuit {
    #[inline]
    fn circuit(&self) -> &Circuit {
        self
    }
}

impl Hold for Circuit {
    #[inline]
    fn circuit(&self) -> &Circuit {
        self
    }
}

/// A circuit for the length of one call: borrowed where it outlives the call, owned elsewhere.
#[derive(Debug)]
pub enum HeldCircuit<'c> {
    /// Somebody else holds it for longer.
    Borrowed(&'c Circuit),
    /// The call holds it itself.
    Owned(Circuit),
    /// The thread that made the call holds it, and lends it to all its calls.
    Cached(Arc<CachedHandle>),
}

impl HeldCircuit<'_> {
    #[inline]
    pub(crate) fn circuit(&self) -> &Circuit {
        match self {
            Self::Borrowed(circuit) => circuit,
            Self::Owned(circuit) => circuit,
            Self::Cached(handle) => handle.circuit(),
        }
    }

    pub(crate) fn into_owned(self) -> Circuit {
        match self {
            Self::Owned(circuit) => circuit,
            Self::Borrowed(circuit) => circuit.clone(),
            Self::Cached(handle) => handle.circuit().clone(),
        }
    }
}

/// A circuit that a thread lends to its calls. Each has cache lines of its own, for its count is written by every call,
/// and two threads must not share it by chance.
#[derive(Debug)]
#[repr(align(128))]
pub struct CachedHandle(Circuit);

impl CachedHandle {
    pub(crate) fn new(circuit: Circuit) -> Self {
        Self(circuit)
    }

    #[inline]
    pub(crate) fn circuit(&self) -> &Circuit {
        &self.0
    }
}
