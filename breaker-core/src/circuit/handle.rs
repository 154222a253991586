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

/// A circuit for the length of one call.
#[derive(Debug)]
pub enum HeldCircuit<'c> {
    /// Borrowed from a value that outlives the call.
    Borrowed(&'c Circuit),
    /// Owned by the call.
    Owned(Circuit),
    /// Borrowed from the cache of the calling thread.
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

/// A handle in the cache of one thread, shared by all calls of that thread. It is aligned to cache lines of its own,
/// because every call writes its reference count, and two threads must not share the line.
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
