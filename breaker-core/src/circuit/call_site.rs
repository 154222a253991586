//! The place in the code that makes a call.

/// What is known of a guarded function when it is compiled.
#[derive(Debug)]
pub struct CallSite {
    pub(crate) operation: Option<&'static str>,
    /// Whether it may be the probe of a half-open circuit.
    pub(crate) may_probe: bool,
}

/// A call through a circuit's own methods: without a name.
pub(crate) static UNNAMED: CallSite = CallSite { operation: None, may_probe: true };

impl CallSite {
    /// The site of an annotated function, by the name of its operation.
    #[must_use]
    pub const fn new(operation: &'static str) -> Self {
        Self { operation: Some(operation), may_probe: true }
    }

    /// The same site, never chosen as a probe.
    #[must_use]
    pub const fn never_a_probe(self) -> Self {
        Self { may_probe: false, ..self }
    }
}
