//! What one finished call says about the remote system.

use std::error::Error;

use super::{Fault, error_chain};
use crate::rejection::CircuitOpen;

/// What one finished call says about the health of the remote system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The remote system was reached and gave a definite answer, be it a value or a refusal.
    Answered,
    /// The remote system did not answer, or not usably: it counts against the circuit.
    Failed,
    /// The call says nothing about the remote system, so it changes nothing.
    Unknown,
}

/// An error that knows what it proves about the remote system.
///
/// Derive it to *mark* the errors that prove an answer. The derive refuses to compile where a mark would be a lie.
/// Implement it by hand only where the evidence has to be computed from the value.
///
/// ```
/// use breaker_core::{Evidence, ProvesReachable};
///
/// #[derive(Debug)]
/// struct LedgerError { code: u16 }
/// # impl std::fmt::Display for LedgerError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "ledger code {}", self.code) }
/// # }
/// # impl std::error::Error for LedgerError {}
///
/// impl ProvesReachable for LedgerError {
///     fn evidence(&self) -> Evidence {
///         // Codes below 100 come from our own client and never left the machine.
///         match self.code {
///             0..=99 => Evidence::Unknown,
///             100..=499 => Evidence::Answered,
///             _ => Evidence::Failed,
///         }
///     }
/// }
///
/// assert_eq!(LedgerError { code: 404 }.evidence(), Evidence::Answered);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether it proves that the remote system answered",
    label = "not `ProvesReachable`",
    note = "derive it on your own error: `#[derive(ProvesReachable)]`, with `#[reachable]` on the variants that are answers, or `#[reachable(never)]` where none is",
    note = "for an error of another crate, wrap it in an error of your own, or give `is_failure = |error| ..` to this call",
    note = "`anyhow::Error`, `eyre::Judgement`, `Box<dyn Error + Send + Sync>`, `std::io::Error`, `reqwest::Error` and `tonic::Status` need a feature of `breaker-core`: `anyhow`, `eyre`, `dynamic`, `io`, `reqwest`, `tonic`"
)]
pub trait ProvesReachable: Error {
    /// What this very value says about the remote system.
    fn evidence(&self) -> Evidence;

    /// Whether this value only passes on a rejection by some circuit, which is never evidence.
    ///
    /// The derive looks at each field by its type, so that wrappers which hide their `source()` are seen through too.
    #[doc(hidden)]
    fn passes_on_rejection(&self) -> bool {
        error_chain::contains_rejection(self.source())
    }

    /// What this value's own type knows of the transport; `None` where its sources and its words have to tell.
    #[doc(hidden)]
    fn transport_fault(&self) -> Option<Fault> {
        None
    }
}

impl ProvesReachable for CircuitOpen {
    fn evidence(&self) -> Evidence {
        Evidence::Unknown
    }

    fn passes_on_rejection(&self) -> bool {
        true
    }
}
