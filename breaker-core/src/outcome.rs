//! Reads the evidence from what a call returned.

use std::sync::Arc;

use crate::evidence::{Evidence, ProvesReachable};
use crate::rejection::CircuitOpen;
use crate::report::Report;
use crate::rules::Rules;
use crate::transport;

/// A way to judge what a call returned.
pub trait Judge<R> {
    /// Whether the result is a plain success, where that can be told at a glance: it spares the common call the rest.
    #[inline]
    fn is_plain_success(&self, _result: &R) -> bool {
        false
    }

    /// What the result says.
    fn report(&self, result: &R, rules: Rules<'_>) -> Report;
}

impl<R, J: Judge<R> + ?Sized> Judge<R> for Arc<J> {
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        (**self).is_plain_success(result)
    }

    #[inline]
    fn report(&self, result: &R, rules: Rules<'_>) -> Report {
        (**self).report(result, rules)
    }
}

/// What a guarded call returns: a `Result`, whatever its alias.
#[cfg_attr(
    not(feature = "stream"),
    diagnostic::on_unimplemented(note = "a boxed stream is guarded with the feature `stream` of `breaker-core`")
)]
#[diagnostic::on_unimplemented(
    message = "a guarded call returns a `Result`, and `{Self}` is none",
    label = "not a `Result`",
    note = "the circuit learns from errors, and a rejection is one: return `Result<_, E>`",
    note = "a method of an annotated `impl` block that makes no call is left out by `#[breaker(skip)]`"
)]
pub trait Outcome {
    /// The type of a success.
    type Value;
    /// The type of an error.
    type Error;

    /// The `Result` itself.
    ///
    /// # Errors
    ///
    /// The error that the call returned.
    fn as_result(&self) -> Result<&Self::Value, &Self::Error>;

    /// The outcome of a call that returned an error.
    fn from_error(error: Self::Error) -> Self;
}

impl<T, E> Outcome for Result<T, E> {
    type Value = T;
    type Error = E;

    #[inline]
    fn as_result(&self) -> Result<&T, &E> {
        self.as_ref()
    }

    #[inline]
    fn from_error(error: E) -> Self {
        Err(error)
    }
}

/// An error whose evidence is known by its type.
pub trait Evident {
    /// What this very value says.
    fn report(&self, rules: Rules<'_>) -> Report;
}

/// A rejection that the error passes on is never evidence, whatever the type says.
impl<E: ProvesReachable> Evident for E {
    #[cold]
    fn report(&self, rules: Rules<'_>) -> Report {
        let evidence = match self.evidence() {
            Evidence::Answered | Evidence::Failed if self.passes_on_rejection() => Evidence::Unknown,
            evidence => rules.evidence_of_error(evidence, self.transport_fault(), || transport::fault_of(self)),
        };
        Report::of_error::<E>(evidence)
    }
}

/// An error that can carry a rejection to the caller.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot carry a rejection: it is not `From<CircuitOpen>`",
    label = "not `From<CircuitOpen>`",
    note = "add a variant to your own error, such as `#[error(transparent)] Rejected(#[from] CircuitOpen)`; to a type \
            parameter, the bound `From<CircuitOpen>`",
    note = "or give `fallback = |open| ..`, which says what to return instead",
    note = "or leave the method out of an annotated `impl` block with `#[breaker(skip)]`"
)]
pub trait CarriesRejection {
    /// The error that carries this rejection.
    fn carry(open: CircuitOpen) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<CircuitOpen>> CarriesRejection for E {
    fn carry(open: CircuitOpen) -> Self {
        open.into()
    }
}

/// What a call returns in place of a result, if it is not made.
pub trait Instead<R> {
    /// Takes the place of a call that was rejected.
    fn of_a_call(&mut self, open: CircuitOpen) -> R;
}

/// Passes the rejection on as an error.
#[derive(Clone, Copy, Debug)]
pub struct PassOn;

impl<R> Instead<R> for PassOn
where
    R: Outcome,
    R::Error: CarriesRejection,
{
    #[cold]
    fn of_a_call(&mut self, open: CircuitOpen) -> R {
        R::from_error(R::Error::carry(open))
    }
}

/// Judges a result by its type.
#[derive(Clone, Copy, Debug)]
pub struct ByType;

impl<R> Judge<R> for ByType
where
    R: Outcome,
    R::Error: Evident,
{
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        result.as_result().is_ok()
    }

    #[inline]
    fn report(&self, result: &R, rules: Rules<'_>) -> Report {
        match result.as_result() {
            Ok(_) => Report::ANSWERED,
            Err(error) => error.report(rules),
        }
    }
}

/// Judges a result by a function.
#[derive(Clone, Copy, Debug)]
pub struct ByClassifier<C>(pub(crate) C);

impl<T, E, C: Fn(&Result<T, E>) -> Evidence> Judge<Result<T, E>> for ByClassifier<C> {
    #[inline]
    fn report(&self, result: &Result<T, E>, _: Rules<'_>) -> Report {
        let evidence = (self.0)(result);
        match result {
            Ok(_) => Report::of(evidence),
            Err(_) => Report::of_error::<E>(evidence),
        }
    }
}
