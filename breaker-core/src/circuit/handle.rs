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
    /// Found in the cache of the calling thread.
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

/// A handle that the caches of a few threads share, and all calls of these threads.
#[derive(Debug)]
pub struct CachedHandle {
    circuit: Circuit,
    /// The group of these threads.
    group: usize,
    /// Every call writes the reference count before this struct. With this padding, the counts of two handles are never in
    /// one line of a processor's cache, whatever their alignment.
    _padding: [u64; 4],
}

impl CachedHandle {
    pub(crate) fn new(circuit: Circuit, group: usize) -> Self {
        Self { circuit, group, _padding: [0; 4] }
    }

    #[inline]
    pub(crate) fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    pub(crate) fn group(&self) -> usize {
        self.group
    }
}
