//! Judges of functions that return a stream inside a `Result`: the call goes on in the stream.
//!
//! An expansion calls `(&&returned).__breaker_judge_values(errors)`, with three references if `is_failure` is given. Method
//! resolution takes the trait with the most references that fits:
//!
//! | implemented for | if the error of the items | items are judged by |
//! |---|---|---|
//! | `&&&Returned<Result<S, E>>` | is `E` itself | the judge of the function, which is `is_failure` |
//! | `&&Returned<..>` | has evidence of its own | the type of the error |
//! | `&Returned<..>` | is of any other type | every error is a failure |

use std::marker::PhantomData;
use std::pin::Pin;

use futures_core::Stream;

use super::Returned;
use super::kinds::JudgesStream;
use crate::call::{Continues, StreamCall};
use crate::circuit::Circuit;
use crate::config::Config;
use crate::evidence::{Evidence, Fault, Judgement};
use crate::integrations::part_of_call::PartOfCall;
use crate::judge::{ByType, Judge, JudgedByType, Outcome};

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

    /// Lets the call end with this value.
    #[must_use]
    fn attach(self, rest: StreamCall<Circuit>, items: Self::Items) -> Self;
}

impl<S, I> GoesOn for PartOfCall<S, I> {
    type Items = I;

    fn attach(self, rest: StreamCall<Circuit>, items: I) -> Self {
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
    pub(super) fn new(result: J) -> Self {
        Self { result, items: PhantomData }
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

    fn continue_in(&self, result: Result<V, E>, rest: StreamCall<Circuit>, _: Judgement) -> Result<V, E> {
        result.map(|value| value.attach(rest, C::choose(&self.result)))
    }
}

#[diagnostic::do_not_recommend]
impl<J, C> JudgesStream for InParts<J, C> {}

#[diagnostic::do_not_recommend]
impl<J, C> JudgesStream for InBoxedParts<J, C> {}

/// Judges the result by `J`. The call goes on in the boxed stream, which is boxed again.
#[derive(Clone, Copy, Debug)]
pub struct InBoxedParts<J, C> {
    result: J,
    items: PhantomData<C>,
}

impl<J, C> InBoxedParts<J, C> {
    fn new(result: J) -> Self {
        Self { result, items: PhantomData }
    }
}

impl<R, J: Judge<R>, C> Judge<R> for InBoxedParts<J, C> {
    fn is_plain_success(&self, result: &R) -> bool {
        self.result.is_plain_success(result)
    }

    fn judge(&self, result: &R, config: &Config) -> Judgement {
        self.result.judge(result, config)
    }
}

/// Functions that return a boxed stream in a `Result`, whose items have the same type of error.
pub trait JudgeBoxLikeResults: Sized {
    /// Returns the judge, given the judge of errors.
    fn __breaker_judge_values<J>(self, errors: J) -> InBoxedParts<J, LikeResults> {
        InBoxedParts::new(errors)
    }
}

/// Functions that return a boxed stream in a `Result`, whose items have an error with evidence, or a [`PartOfCall`].
///
/// It is one trait for both, because both would match a type that does not exist, and the compiler would report that too.
pub trait JudgePartsByTheirType: Sized {
    /// The judge.
    type Judge<J>;

    /// Returns the judge, given the judge of errors.
    fn __breaker_judge_values<J>(self, errors: J) -> Self::Judge<J>;
}

impl<S, E> JudgePartsByTheirType for &&Returned<Result<PartOfCall<S>, E>> {
    type Judge<J> = InParts<J, ByTheirType>;

    fn __breaker_judge_values<J>(self, errors: J) -> InParts<J, ByTheirType> {
        InParts::new(errors)
    }
}

/// Functions that return a boxed stream in a `Result`, whose items have another error.
pub trait JudgeBoxStrictly: Sized {
    /// Returns the judge, given the judge of errors.
    fn __breaker_judge_values<J>(self, errors: J) -> InBoxedParts<J, EachErrorFails> {
        InBoxedParts::new(errors)
    }
}

macro_rules! boxed_streams {
    ($([$($bound:tt)*])*) => {$(
        impl<'a, T, E> JudgeBoxLikeResults
            for &&&Returned<Result<Pin<Box<dyn Stream<Item = Result<T, E>> + 'a $($bound)*>>, E>> {}

        impl<'a, I, E> JudgePartsByTheirType
            for &&Returned<Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E>>
        where
            I: Outcome,
            I::Error: JudgedByType,
        {
            type Judge<J> = InBoxedParts<J, ByTheirType>;

            fn __breaker_judge_values<J>(self, errors: J) -> InBoxedParts<J, ByTheirType> {
                InBoxedParts::new(errors)
            }
        }

        impl<'a, T, E, F> JudgeBoxStrictly
            for &Returned<Result<Pin<Box<dyn Stream<Item = Result<T, F>> + 'a $($bound)*>>, E>> {}

        impl<'a, I, E, J, C> Continues<Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E>> for InBoxedParts<J, C>
        where
            I: 'a,
            C: ChooseItemJudge<J>,
            C::Items: Judge<I> + 'a $($bound)*,
        {
            const POSSIBLE: bool = true;

            fn has_rest(&self, result: &Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E>) -> bool {
                result.is_ok()
            }

            fn continue_in(
                &self,
                result: Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E>,
                rest: StreamCall<Circuit>,
                _: Judgement,
            ) -> Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E> {
                let stream = result?;
                Ok(Box::pin(PartOfCall::detached(stream).attached(rest, C::choose(&self.result))))
            }
        }
    )*};
}

boxed_streams!([] [+ Send] [+ Send + Sync]);
