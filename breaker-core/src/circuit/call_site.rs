//! Call sites of guarded functions.

/// The static description of a guarded function.
#[derive(Debug)]
pub struct CallSite {
    pub(crate) operation: Option<&'static str>,
    /// Whether its calls may be the probe of a half-open circuit.
    pub(crate) may_probe: bool,
}

/// The call site of calls through the methods of a circuit, which have no operation name.
pub(crate) static UNNAMED: CallSite = CallSite { operation: None, may_probe: true };

impl CallSite {
    /// Creates the call site of an annotated function from the name of its operation.
    #[must_use]
    pub const fn new(operation: &'static str) -> Self {
        Self { operation: Some(operation), may_probe: true }
    }

    /// Makes this a call site whose calls are never chosen as probes.
    #[must_use]
    pub const fn never_a_probe(self) -> Self {
        Self { may_probe: false, ..self }
    }
}
