//! Functions whose value has a hidden type, as in `Result<impl Stream, E>`.
//!
//! The compiler infers such a type from the body, so the expansion may return another type that fits: a stream is
//! replaced by one that is a part of the call. Any other value is returned as it is.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::Returned;
#[cfg(feature = "stream")]
pub use super::hidden_stream::{CompleteByTheirType, CompleteLikeResults, CompleteStrictly};
use crate::call::{self, Call, Continues};
use crate::circuit::Hold;
use crate::judge::{Judge, Outcome};

/// What a function with a hidden value returns, given the judge `J` of its errors.
pub trait Completes<J> {
    /// The result of the body.
    type Body;
    /// The result of the function.
    type Completed;
    /// The judge of that.
    type Judge;

    /// Completes the result of the body.
    fn complete(body: Self::Body) -> Self::Completed;

    /// Completes the judge.
    fn judge(errors: J) -> Self::Judge;
}

/// The result is returned as it is.
#[derive(Debug)]
pub struct AsItIs<R>(PhantomData<fn() -> R>);

impl<R, J> Completes<J> for AsItIs<R> {
    type Body = R;
    type Completed = R;
    type Judge = J;

    #[inline]
    fn complete(body: R) -> R {
        body
    }

    #[inline]
    fn judge(errors: J) -> J {
        errors
    }
}

impl<R> Returned<R> {
    /// Creates a placeholder for the result of the body, whose value has another type.
    #[inline]
    #[must_use]
    pub const fn with_hidden_value<V>(self) -> Returned<Result<V, R::Error>>
    where
        R: Outcome,
    {
        Returned::new()
    }
}

/// The chosen completion `C` for the judge `J`.
#[derive(Debug)]
pub struct Completion<C, J>(PhantomData<fn() -> (C, J)>);

impl<C, J> Clone for Completion<C, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, J> Copy for Completion<C, J> {}

/// Returns the completion for this judge.
#[inline]
#[must_use]
pub fn completion<C: Completes<J>, J>(_: &C, _: &J) -> Completion<C, J> {
    Completion(PhantomData)
}

/// Returns a placeholder for the completed result.
#[inline]
#[must_use]
pub fn completed<C: Completes<J>, J>(_: Completion<C, J>) -> Returned<C::Completed> {
    Returned::new()
}

/// Completes the judge.
#[inline]
pub fn complete_judge<C: Completes<J>, J>(_: Completion<C, J>, errors: J) -> C::Judge {
    C::judge(errors)
}

/// Completes a result.
#[inline]
pub fn complete<C: Completes<J>, J>(_: Completion<C, J>, body: C::Body) -> C::Completed {
    C::complete(body)
}

/// Connects a body with its result before it is known how to complete that.
#[inline]
pub fn hidden_body<R>(_: Returned<R>, body: impl FnOnce() -> R) -> impl FnOnce() -> R {
    body
}

/// Runs the body of a plain function whose call was admitted, and completes its result.
#[inline]
pub fn run_hidden<H, C, J>(
    _: Completion<C, J>,
    call: Call<H>,
    judge: &C::Judge,
    body: impl FnOnce() -> C::Body,
) -> C::Completed
where
    H: Hold,
    C: Completes<J>,
    C::Judge: Judge<C::Completed> + Continues<C::Completed>,
{
    call::run(call, || C::complete(body()), judge)
}

pin_project! {
    /// A body whose result is completed.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct CompletedBody<F, C, J> {
        #[pin]
        body: F,
        completion: Completion<C, J>,
    }
}

/// Completes the result of an asynchronous body.
#[inline]
pub fn complete_body<F, C, J>(completion: Completion<C, J>, body: F) -> CompletedBody<F, C, J> {
    CompletedBody { body, completion }
}

impl<F: Future<Output = C::Body>, C: Completes<J>, J> Future for CompletedBody<F, C, J> {
    type Output = C::Completed;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<C::Completed> {
        self.project().body.poll(cx).map(C::complete)
    }
}

/// Choice of the completion, by the type of the value. An expansion imports the traits and calls
/// `(&&returned).__breaker_completion()`, with three references if `is_failure` is given: see `stream_in_result.rs`.
pub mod by_value {
    use super::{AsItIs, PhantomData, Returned};

    #[cfg(feature = "stream")]
    pub use super::{CompleteByTheirType, CompleteLikeResults, CompleteStrictly};

    /// Values that are returned as they are.
    pub trait CompleteAsItIs<R> {
        /// Returns the completion.
        fn __breaker_completion(self) -> AsItIs<R>;
    }

    impl<R> CompleteAsItIs<R> for Returned<R> {
        #[inline]
        fn __breaker_completion(self) -> AsItIs<R> {
            AsItIs(PhantomData)
        }
    }
}
