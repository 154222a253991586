//! Handles to a circuit for the length of one call.

use std::fmt;
use std::sync::Arc;

use super::{CallSite, Circuit, UNNAMED};

/// A way to hold a circuit for the length of one call, with the call site.
pub trait Hold {
    #[doc(hidden)]
    fn circuit(&self) -> &Circuit;

    /// The call site. The default is that of the methods of a circuit.
    #[doc(hidden)]
    #[inline]
    fn call_site(&self) -> &'static CallSite {
        &UNNAMED
    }
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

/// A circuit and the call site of the annotated function that returns the future or stream of the call.
#[derive(Clone, Debug)]
pub struct CircuitAt {
    pub(crate) circuit: Circuit,
    pub(crate) call_site: &'static CallSite,
}

impl Hold for CircuitAt {
    #[inline]
    fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    #[inline]
    fn call_site(&self) -> &'static CallSite {
        self.call_site
    }
}

/// A borrowed circuit and the call site of an annotated function.
pub struct At<'c, S> {
    circuit: &'c Circuit,
    call_site: S,
}

impl<'c, S: GivesCallSite> At<'c, S> {
    #[inline]
    pub(crate) fn new(circuit: &'c Circuit, call_site: S) -> Self {
        Self { circuit, call_site }
    }
}

impl<S: GivesCallSite> Hold for At<'_, S> {
    #[inline]
    fn circuit(&self) -> &Circuit {
        self.circuit
    }

    #[inline]
    fn call_site(&self) -> &'static CallSite {
        self.call_site.get()
    }
}

impl<S> fmt::Debug for At<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.circuit.fmt(f)
    }
}

/// A value that gives the call site of a call.
pub trait GivesCallSite {
    #[doc(hidden)]
    fn get(&self) -> &'static CallSite;
}

/// A closure without captures has no size, so a call does not store the call site.
impl<F: Fn() -> &'static CallSite> GivesCallSite for F {
    #[inline]
    fn get(&self) -> &'static CallSite {
        self()
    }
}

/// A stored call site.
#[derive(Debug)]
pub struct Stored(pub(crate) &'static CallSite);

impl GivesCallSite for Stored {
    #[inline]
    fn get(&self) -> &'static CallSite {
        self.0
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
