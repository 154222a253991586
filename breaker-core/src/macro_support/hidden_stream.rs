//! Functions that return `Result<impl Stream, E>`.

use std::marker::PhantomData;

use futures_core::Stream;

use super::Returned;
use super::hidden::Completes;
use crate::integrations::part_of_call::{
    ByTheirType, ChooseItemJudge, EachErrorFails, InParts, LikeResults, PartOfCall,
};
use crate::judge::{JudgedByType, Outcome};

/// The stream is returned as a part of the call. `C` chooses the judge of its items.
#[derive(Debug)]
pub struct StreamPart<S, E, C>(PhantomData<fn() -> S>, PhantomData<fn() -> (E, C)>);

impl<S, E, C: ChooseItemJudge<J>, J> Completes<J> for StreamPart<S, E, C> {
    type Body = Result<S, E>;
    type Completed = Result<PartOfCall<S, C::Items>, E>;
    type Judge = InParts<J, C>;

    fn complete(body: Result<S, E>) -> Self::Completed {
        body.map(PartOfCall::detached)
    }

    fn judge(errors: J) -> InParts<J, C> {
        InParts::new(errors)
    }
}

/// Streams whose items have the type of error that the function has.
pub trait CompleteLikeResults<S, E>: Sized {
    /// Returns the completion.
    fn __breaker_completion(self) -> StreamPart<S, E, LikeResults> {
        StreamPart(PhantomData, PhantomData)
    }
}

impl<S: Stream<Item = Result<T, E>>, T, E> CompleteLikeResults<S, E> for &&&Returned<Result<S, E>> {}

/// Streams whose items have an error with evidence.
pub trait CompleteByTheirType<S, E>: Sized {
    /// Returns the completion.
    fn __breaker_completion(self) -> StreamPart<S, E, ByTheirType> {
        StreamPart(PhantomData, PhantomData)
    }
}

impl<S, E> CompleteByTheirType<S, E> for &&Returned<Result<S, E>>
where
    S: Stream,
    S::Item: Outcome,
    <S::Item as Outcome>::Error: JudgedByType,
{
}

/// Streams whose items have another error.
pub trait CompleteStrictly<S, E>: Sized {
    /// Returns the completion.
    fn __breaker_completion(self) -> StreamPart<S, E, EachErrorFails> {
        StreamPart(PhantomData, PhantomData)
    }
}

impl<S: Stream<Item = Result<T, F>>, T, E, F> CompleteStrictly<S, E> for &Returned<Result<S, E>> {}
