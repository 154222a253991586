//! Judges of results whose call goes on in the value, and of the items of the value.

use std::marker::PhantomData;

use super::PartOfCall;
use crate::call::{Continues, StreamCall};
use crate::circuit::CircuitAt;
use crate::config::Config;
use crate::evidence::{Evidence, Fault, Judgement};
use crate::judge::{ByType, Judge};

/// The choice of a judge for items, given the judge `J` of a function.
pub trait ChooseItemJudge<J> {
    /// The judge of items.
    type Items;

    /// Returns the judge of items.
    fn choose(errors: &J) -> Self::Items;
}

/// Items are judged like the results of the function.
#[derive(Clone, Copy, Debug)]
pub struct LikeResults;

impl<J: Clone> ChooseItemJudge<J> for LikeResults {
    type Items = J;

    fn choose(errors: &J) -> J {
        errors.clone()
    }
}

/// Items are judged by the type of their error.
#[derive(Clone, Copy, Debug)]
pub struct ByTheirType;

impl<J> ChooseItemJudge<J> for ByTheirType {
    type Items = ByType;

    fn choose(_: &J) -> ByType {
        ByType
    }
}

/// Every error among the items is a failure, because its type has no evidence.
#[derive(Clone, Copy, Debug)]
pub struct EachErrorFails;

impl<J> ChooseItemJudge<J> for EachErrorFails {
    type Items = Self;

    fn choose(_: &J) -> Self {
        Self
    }
}

impl<T, E> Judge<Result<T, E>> for EachErrorFails {
    fn is_plain_success(&self, result: &Result<T, E>) -> bool {
        result.is_ok()
    }

    fn judge(&self, result: &Result<T, E>, config: &Config) -> Judgement {
        match result {
            Ok(_) => Judgement::ANSWERED,
            Err(_) => Judgement::of_error::<E>(config.evidence_of_error(Evidence::Failed, None, || Fault::Other)),
        }
    }
}

/// A value in which a call goes on.
pub trait GoesOn {
    /// The judge of its items.
    type Items;

    /// Lets the call end with this value. `answer` is the judgement of the value itself.
    #[must_use]
    fn attach(self, rest: StreamCall<CircuitAt>, items: Self::Items, answer: Judgement) -> Self;
}

/// The verdict is that of the stream, so that its existence is not an answer.
impl<S, I> GoesOn for PartOfCall<S, I> {
    type Items = I;

    fn attach(self, rest: StreamCall<CircuitAt>, items: I, _: Judgement) -> Self {
        self.attached(rest, items)
    }
}

/// Judges the result by `J`. The call goes on in the value.
#[derive(Clone, Copy, Debug)]
pub struct InParts<J, C> {
    result: J,
    items: PhantomData<C>,
}

impl<J, C> InParts<J, C> {
    pub(crate) fn new(result: J) -> Self {
        Self { result, items: PhantomData }
    }

    /// The judge of the result itself.
    pub(crate) fn of_result(&self) -> &J {
        &self.result
    }
}

impl<R, J: Judge<R>, C> Judge<R> for InParts<J, C> {
    fn is_plain_success(&self, result: &R) -> bool {
        self.result.is_plain_success(result)
    }

    fn judge(&self, result: &R, config: &Config) -> Judgement {
        self.result.judge(result, config)
    }
}

impl<V, E, J, C> Continues<Result<V, E>> for InParts<J, C>
where
    V: GoesOn,
    C: ChooseItemJudge<J, Items = V::Items>,
{
    const POSSIBLE: bool = true;

    fn has_rest(&self, result: &Result<V, E>) -> bool {
        result.is_ok()
    }

    fn continue_in(&self, result: Result<V, E>, rest: StreamCall<CircuitAt>, answer: Judgement) -> Result<V, E> {
        result.map(|value| value.attach(rest, C::choose(&self.result), answer))
    }
}
