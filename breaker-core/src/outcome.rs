//! Reads the evidence from what a call returned.

use crate::evidence::{Evidence, ProvesReachable};
use crate::report::Report;

/// A way to judge a result.
pub trait Judge<R> {
    /// What the result says.
    fn report(&self, result: &R) -> Report;
}

/// A result that says by its type what it proves.
pub trait Outcome {
    /// What this very result says.
    fn report(&self) -> Report;
}

impl<T, E: ProvesReachable> Outcome for Result<T, E> {
    #[inline]
    fn report(&self) -> Report {
        match self {
            Ok(_) => Report::ANSWERED,
            Err(error) => report_error(error),
        }
    }
}

/// What an error says by its type. A rejection that it passes on is never evidence, whatever the type says.
#[cold]
fn report_error<E: ProvesReachable>(error: &E) -> Report {
    let evidence = match error.evidence() {
        Evidence::Answered | Evidence::Failed if error.passes_on_rejection() => Evidence::Unknown,
        evidence => evidence,
    };
    Report::of_error::<E>(evidence)
}

/// Judges a result by its type.
#[derive(Clone, Copy, Debug)]
pub struct ByType;

impl<R: Outcome> Judge<R> for ByType {
    #[inline]
    fn report(&self, result: &R) -> Report {
        result.report()
    }
}

/// Judges a result by a function.
#[derive(Clone, Copy, Debug)]
pub struct ByClassifier<C>(pub(crate) C);

impl<T, E, C: Fn(&Result<T, E>) -> Evidence> Judge<Result<T, E>> for ByClassifier<C> {
    #[inline]
    fn report(&self, result: &Result<T, E>) -> Report {
        let evidence = (self.0)(result);
        match result {
            Ok(_) => Report::of(evidence),
            Err(_) => Report::of_error::<E>(evidence),
        }
    }
}
