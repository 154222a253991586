//! How a guarded function comes to its fallback, which may await.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::Returned;
use crate::call::{Call, GuardedFuture};
use crate::circuit::{CallSite, Circuit};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

pin_project! {
    /// A call that asks to be let in at its first poll, or what is awaited instead. It is never both, so that the body is
    /// stored once: a block that awaits would keep it a second time, and a chain of calls would double on every level.
    #[project = Stage]
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub enum CallOrFallback<F, J, I, G> {
        /// The call.
        Call {
            #[pin]
            guarded: GuardedFuture<Circuit, F, J>,
            fallback: Option<I>,
        },
        /// What is awaited instead.
        Fallback {
            #[pin]
            future: G,
        },
    }
}

/// The type of that, for this body, before all of it is known.
#[inline]
#[must_use]
pub fn call_or_fallback<F: Future, J, I, G>(_: &F) -> Returned<CallOrFallback<F, J, I, G>> {
    Returned::new()
}

/// Guards what a function hands out. The fallback is asked for when the call is rejected.
#[inline]
pub fn with_fallback<F, J, I, G>(
    circuit: Circuit,
    site: &'static CallSite,
    judge: J,
    body: F,
    fallback: I,
) -> CallOrFallback<F, J, I, G>
where
    F: Future,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    let guarded = GuardedFuture::new(Call::unadmitted(circuit, site), body, judge);
    CallOrFallback::Call { guarded, fallback: Some(fallback) }
}

impl<F, J, I, G> Future for CallOrFallback<F, J, I, G>
where
    F: Future,
    J: Judge<F::Output>,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    type Output = F::Output;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        loop {
            let future = match self.as_mut().project() {
                Stage::Fallback { future } => return future.poll(cx),
                Stage::Call { mut guarded, fallback } => match guarded.as_mut().admit_once() {
                    Ok(()) => return guarded.poll(cx),
                    Err(open) => fallback.take().expect("a call is rejected once")(open),
                },
            };
            self.set(Self::Fallback { future });
        }
    }
}

/// Whether the call was rejected. The admission is never borrowed, and never taken apart in the expansion, for then the
/// compiler would keep its place in the function's future.
#[inline]
pub fn is_rejected<C>(admission: Result<C, CircuitOpen>) -> (bool, Result<C, CircuitOpen>) {
    (admission.is_err(), admission)
}

/// The rejection of a call that was rejected.
///
/// # Panics
///
/// When the call was let in.
#[inline]
pub fn rejection_of<C>(admission: Result<C, CircuitOpen>) -> CircuitOpen {
    admission.err().expect("it was rejected")
}

/// The call that was let in.
///
/// # Panics
///
/// When the call was rejected.
#[inline]
pub fn let_in<C>(admission: Result<C, CircuitOpen>) -> C {
    admission.expect("it was let in")
}
