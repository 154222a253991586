//! Call sites of guarded functions.

/// The static description of a guarded function.
#[derive(Debug)]
pub struct CallSite {
    pub(crate) operation: Option<&'static str>,
    /// Whether its calls may be the probe of a half-open circuit.
    pub(crate) may_probe: bool,
    /// Whether the verdict about a stream is final at its first good item.
    #[cfg_attr(not(feature = "stream"), expect(dead_code, reason = "read by streams only"))]
    pub(crate) settles_at_first_item: bool,
}

/// The call site of calls through the methods of a circuit, which have no operation name.
pub(crate) static UNNAMED: CallSite = CallSite { operation: None, may_probe: true, settles_at_first_item: false };

impl CallSite {
    /// Creates the call site of an annotated function from the name of its operation.
    #[must_use]
    pub const fn new(operation: &'static str) -> Self {
        Self { operation: Some(operation), may_probe: true, settles_at_first_item: false }
    }

    /// Makes this a call site whose calls are never chosen as probes.
    #[must_use]
    pub const fn never_a_probe(self) -> Self {
        Self { may_probe: false, ..self }
    }

    /// Makes this a call site of streams whose verdict is final at the first good item.
    #[must_use]
    pub const fn settles_at_first_item(self) -> Self {
        Self { settles_at_first_item: true, ..self }
    }
}
