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
use crate::circuit::CircuitAt;
use crate::evidence::Judgement;
use crate::integrations::part_of_call::{
    ByTheirType, ChooseItemJudge, EachErrorFails, InParts, LikeResults, PartOfCall,
};
use crate::judge::{Judge, JudgedByType, Outcome};

#[diagnostic::do_not_recommend]
impl<J, C> JudgesStream for InParts<J, C> {}

/// Chooses the judge of items like `C`. The stream is boxed, and is boxed again.
#[derive(Clone, Copy, Debug)]
pub struct Boxed<C>(PhantomData<C>);

/// Functions that return a boxed stream in a `Result`, whose items have the same type of error.
pub trait JudgeBoxLikeResults: Sized {
    /// Returns the judge, given the judge of errors.
    fn __breaker_judge_values<J>(self, errors: J) -> InParts<J, Boxed<LikeResults>> {
        InParts::new(errors)
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

#[cfg(feature = "http-body")]
impl<B, E> JudgePartsByTheirType for &&Returned<Result<http::Response<PartOfCall<B>>, E>> {
    type Judge<J> = InParts<crate::judge::ByStatus<J>, ByTheirType>;

    fn __breaker_judge_values<J>(self, errors: J) -> Self::Judge<J> {
        InParts::new(crate::judge::ByStatus(errors))
    }
}

/// Functions that return a boxed stream in a `Result`, whose items have another error.
pub trait JudgeBoxStrictly: Sized {
    /// Returns the judge, given the judge of errors.
    fn __breaker_judge_values<J>(self, errors: J) -> InParts<J, Boxed<EachErrorFails>> {
        InParts::new(errors)
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
            type Judge<J> = InParts<J, Boxed<ByTheirType>>;

            fn __breaker_judge_values<J>(self, errors: J) -> InParts<J, Boxed<ByTheirType>> {
                InParts::new(errors)
            }
        }

        impl<'a, T, E, F> JudgeBoxStrictly
            for &Returned<Result<Pin<Box<dyn Stream<Item = Result<T, F>> + 'a $($bound)*>>, E>> {}

        impl<'a, I, E, J, C> Continues<Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E>> for InParts<J, Boxed<C>>
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
                rest: StreamCall<CircuitAt>,
                _: Judgement,
            ) -> Result<Pin<Box<dyn Stream<Item = I> + 'a $($bound)*>>, E> {
                let stream = result?;
                Ok(Box::pin(PartOfCall::detached(stream).attached(rest, C::choose(self.of_result()))))
            }
        }
    )*};
}

boxed_streams!([] [+ Send] [+ Send + Sync]);
