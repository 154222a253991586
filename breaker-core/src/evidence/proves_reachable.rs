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
    note = "`std::io::Error`, `reqwest::Error` and `tonic::Status` need a feature of `breaker-core`: `io`, `reqwest` for 0.13 or `reqwest-0-12`, `tonic` for 0.14; so do `anyhow::Error`, `eyre::Report` and `Box<dyn Error + Send + Sync>` as the error of a call: `anyhow`, `eyre`, `dynamic`; these three cannot be `#[reachable(transparent)]`"
)]
pub trait ProvesReachable: Error {
    /// Returns the evidence of this value.
    fn evidence(&self) -> Evidence;

    /// Returns the rejection by some circuit that this value only passes on. Such an error is never evidence.
    ///
    /// The default searches the sources of this value. The derive also asks each field by its type, so a wrapper that
    /// hides its source is seen through.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable};
    ///
    /// #[derive(Debug, thiserror::Error, ProvesReachable)]
    /// #[reachable(never)]
    /// enum LedgerError {
    ///     #[error("the ledger did not answer")]
    ///     NoAnswer,
    ///     #[error(transparent)]
    ///     Rejected(#[from] CircuitOpen),
    /// }
    ///
    /// let circuit = Circuit::new("ledger", Config::default());
    /// circuit.hold_open();
    /// let error = LedgerError::from(circuit.try_acquire().unwrap_err());
    /// assert_eq!(error.rejection().unwrap().connection(), "ledger");
    /// assert!(LedgerError::NoAnswer.rejection().is_none());
    /// ```
    #[inline]
    fn rejection(&self) -> Option<&CircuitOpen> {
        error_chain::rejection_among_sources(self)
    }

    /// Whether the evidence of an error of this type regards its rejection already, so that it need not be searched twice.
    #[doc(hidden)]
    #[inline]
    fn evidence_regards_rejection(&self) -> bool {
        false
    }

    /// Returns the transport fault that the type of this value reports, or the name of an error inside it whose words
    /// decide; `None` where the sources and words of this value have to decide.
    #[doc(hidden)]
    fn transport_fault(&self) -> Option<Fault> {
        None
    }
}

impl ProvesReachable for CircuitOpen {
    fn evidence(&self) -> Evidence {
        Evidence::Unknown
    }

    fn rejection(&self) -> Option<&CircuitOpen> {
        Some(self)
    }
}
