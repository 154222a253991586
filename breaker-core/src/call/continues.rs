//! Calls that go on after their function has returned, in a stream that it returned inside a `Result`.

use std::sync::Arc;

#[cfg(feature = "stream")]
use super::StreamCall;
#[cfg(feature = "stream")]
use crate::circuit::CircuitAt;
#[cfg(feature = "stream")]
use crate::evidence::Judgement;
#[cfg(feature = "http")]
use crate::judge::ByStatus;
#[cfg(feature = "tokio")]
use crate::judge::TimedJudge;
use crate::judge::{ByClassifier, ByType};

/// Whether a call goes on in its result, which depends on the judge.
pub trait Continues<R> {
    /// Whether a result may have a part that the caller reads later.
    const POSSIBLE: bool = false;

    /// Whether this result has one.
    #[cfg(feature = "stream")]
    fn has_rest(&self, _result: &R) -> bool {
        false
    }

    /// Passes the rest of the call to the result. `answer` is the judgement of the result itself.
    #[cfg(feature = "stream")]
    #[doc(hidden)]
    fn continue_in(&self, result: R, _rest: StreamCall<CircuitAt>, _answer: Judgement) -> R {
        result
    }
}

impl<R> Continues<R> for ByType {}

impl<R, C> Continues<R> for ByClassifier<C> {}

#[cfg(feature = "http")]
impl<R, J> Continues<R> for ByStatus<J> {}

impl<R, J: Continues<R> + ?Sized> Continues<R> for Arc<J> {
    const POSSIBLE: bool = J::POSSIBLE;

    #[cfg(feature = "stream")]
    fn has_rest(&self, result: &R) -> bool {
        (**self).has_rest(result)
    }

    #[cfg(feature = "stream")]
    fn continue_in(&self, result: R, rest: StreamCall<CircuitAt>, answer: Judgement) -> R {
        (**self).continue_in(result, rest, answer)
    }
}

#[cfg(feature = "tokio")]
impl<R, J: Continues<R>> Continues<Result<R, tokio::time::error::Elapsed>> for TimedJudge<J> {
    const POSSIBLE: bool = J::POSSIBLE;

    #[cfg(feature = "stream")]
    fn has_rest(&self, result: &Result<R, tokio::time::error::Elapsed>) -> bool {
        result.as_ref().is_ok_and(|result| self.0.has_rest(result))
    }

    #[cfg(feature = "stream")]
    fn continue_in(
        &self,
        result: Result<R, tokio::time::error::Elapsed>,
        rest: StreamCall<CircuitAt>,
        answer: Judgement,
    ) -> Result<R, tokio::time::error::Elapsed> {
        result.map(|result| self.0.continue_in(result, rest, answer))
    }
}
