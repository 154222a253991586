//! Evidence of a finished call, and the trait of errors that provide it.

use std::error::Error;

use super::{Fault, error_chain};
use crate::rejection::CircuitOpen;

/// What one finished call proves about the health of the remote system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The remote system was reached and gave a definite answer: a value or a refusal.
    Answered,
    /// The remote system gave no answer, or no usable one. It counts against the circuit.
    Failed,
    /// The call proves nothing about the remote system and has no effect.
    Unknown,
}

/// An error that provides evidence about the remote system.
///
/// Derive it to *mark* the errors that prove an answer. The derive refuses to compile where a mark would be wrong.
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
///         // Codes below 100 come from our own client, before a request was sent.
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
    message = "`{Self}` has no evidence: it is not `ProvesReachable`",
    label = "not `ProvesReachable`",
    note = "derive it on your own error: `#[derive(ProvesReachable)]`, with `#[reachable]` on the variants that are answers, or `#[reachable(never)]` on the type if there are none",
    note = "for an error of another crate, wrap it in an error of your own, or write `is_failure = |error| ..` for this call",
    note = "`anyhow::Error`, `eyre::Report`, `Box<dyn Error + Send + Sync>`, `std::io::Error`, `reqwest::Error` and `tonic::Status` need a feature of `breaker-core`: `anyhow`, `eyre`, `dynamic`, `io`, `reqwest`, `tonic`"
)]
pub trait ProvesReachable: Error {
    /// Returns the evidence of this value.
    fn evidence(&self) -> Evidence;

    /// Whether this value only passes on a rejection by some circuit, which is never evidence.
    ///
    /// The derive checks each field by its type, so that wrappers that hide their `source()` are covered too.
    #[doc(hidden)]
    fn passes_on_rejection(&self) -> bool {
        error_chain::contains_rejection(self.source())
    }

    /// Returns the transport fault that the type of this value reports; `None` where its sources and words have to
    /// decide.
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
