//! Judges the result of a service.

use super::BoxError;
use crate::config::Config;
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::judge::dynamic::unknown_type;

/// Judges an error by what is known along its chain.
#[derive(Clone, Copy, Debug)]
pub struct ByChain;

impl<T> Judge<Result<T, BoxError>> for ByChain {
    #[inline]
    fn is_plain_success(&self, result: &Result<T, BoxError>) -> bool {
        result.is_ok()
    }

    #[inline]
    fn judge(&self, result: &Result<T, BoxError>, config: &Config) -> Judgement {
        match result {
            Ok(_) => Judgement::ANSWERED,
            Err(error) => unknown_type::judgement(&**error, config),
        }
    }
}

/// Judges a result by a function of the user's, except for a rejection, which is never evidence.
#[derive(Clone, Copy, Debug)]
pub struct ByFunction<F>(pub(super) F);

impl<T, F: Fn(Result<&T, &BoxError>) -> Evidence> Judge<Result<T, BoxError>> for ByFunction<F> {
    fn judge(&self, result: &Result<T, BoxError>, _: &Config) -> Judgement {
        match result {
            Err(error) if unknown_type::passes_on_rejection(&**error) => {
                Judgement::of_error::<BoxError>(Evidence::Unknown)
            }
            Err(error) => Judgement::of_error::<BoxError>((self.0)(Err(error))),
            Ok(value) => Judgement::of((self.0)(Ok(value))),
        }
    }
}
