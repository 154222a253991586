//! Judges the result of a service.

use super::BoxError;
use crate::adapters::erased;
use crate::evidence::Evidence;
use crate::outcome::Judge;
use crate::report::Report;
use crate::rules::Rules;

/// Judges an error by what is known along its chain.
#[derive(Clone, Copy, Debug)]
pub struct ByChain;

impl<T> Judge<Result<T, BoxError>> for ByChain {
    #[inline]
    fn is_plain_success(&self, result: &Result<T, BoxError>) -> bool {
        result.is_ok()
    }

    #[inline]
    fn report(&self, result: &Result<T, BoxError>, rules: Rules<'_>) -> Report {
        match result {
            Ok(_) => Report::ANSWERED,
            Err(error) => erased::report(&**error, rules),
        }
    }
}

/// Judges a result by a function of the user's, except for a rejection, which is never evidence.
#[derive(Clone, Copy, Debug)]
pub struct ByFunction<F>(pub(super) F);

impl<T, F: Fn(Result<&T, &BoxError>) -> Evidence> Judge<Result<T, BoxError>> for ByFunction<F> {
    fn report(&self, result: &Result<T, BoxError>, _: Rules<'_>) -> Report {
        match result {
            Err(error) if erased::passes_on_rejection(&**error) => Report::of_error::<BoxError>(Evidence::Unknown),
            Err(error) => Report::of_error::<BoxError>((self.0)(Err(error))),
            Ok(value) => Report::of((self.0)(Ok(value))),
        }
    }
}
