//! Judges for the results of a service.

use super::BoxError;
use crate::call::Continues;
use crate::config::Config;
use crate::evidence::{Evidence, Judgement, rejection};
use crate::judge::Judge;
use crate::judge::dynamic::unknown_type;

/// A judge for the results of a service: [`ByStatus`](crate::tower::ByStatus) by default, [`ByChain`] after
/// [`BreakerLayer::errors_only`](super::BreakerLayer::errors_only), and [`ByFunction`] after
/// [`BreakerLayer::judged_by`](super::BreakerLayer::judged_by).
///
/// The trait is sealed. A judge of your own is a function that you pass to `judged_by`.
#[diagnostic::on_unimplemented(
    message = "responses of type `{Response}` have no HTTP status by which to judge them",
    note = "use `.judged_by(|result| ..)` on the layer to judge results by a function, or `.errors_only()` to judge errors alone"
)]
pub trait JudgeService<Response>: Judge<Result<Response, BoxError>> + Continues<Result<Response, BoxError>> {}

impl<Response, J> JudgeService<Response> for J where
    J: Judge<Result<Response, BoxError>> + Continues<Result<Response, BoxError>>
{
}

impl<R> Continues<R> for ByChain {}

impl<R, F> Continues<R> for ByFunction<F> {}

/// Judges an error by the first type of its chain that has evidence.
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

/// Judges a result by a user's function, except for a rejection, which is never evidence.
#[derive(Clone, Copy, Debug)]
pub struct ByFunction<F>(pub(super) F);

impl<T, F: Fn(Result<&T, &BoxError>) -> Evidence> Judge<Result<T, BoxError>> for ByFunction<F> {
    fn judge(&self, result: &Result<T, BoxError>, _: &Config) -> Judgement {
        match result {
            Err(error) if rejection(&**error).is_some() => Judgement::of_error::<BoxError>(Evidence::Unknown),
            Err(error) => Judgement::of_error::<BoxError>((self.0)(Err(error))),
            Ok(value) => Judgement::of((self.0)(Ok(value))),
        }
    }
}
