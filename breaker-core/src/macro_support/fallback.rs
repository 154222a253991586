//! Guarded functions with a fallback that may await.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::Returned;
use crate::call::{Call, Continues, GuardedFuture};
use crate::circuit::{CallSite, Circuit, CircuitAt};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

pin_project! {
    /// A call that asks for admission at its first poll, or the fallback that is awaited instead.
    ///
    /// An `async` block that awaits either would store the body twice, so that a chain of calls doubled in size on every
    /// level. An enum stores one of the two.
    #[project = CallOrFallbackProjection]
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub enum CallOrFallback<F, J, I, G> {
        /// The call.
        Call {
            #[pin]
            guarded: GuardedFuture<CircuitAt, F, J>,
            fallback: Option<I>,
        },
        /// The fallback.
        Fallback {
            #[pin]
            future: G,
        },
    }
}

/// Returns a placeholder for the future of this body, before its other parts are known.
#[inline]
#[must_use]
pub fn call_or_fallback<F: Future, J, I, G>(_: &F) -> Returned<CallOrFallback<F, J, I, G>> {
    Returned::new()
}

/// Guards the future that a function returns. The fallback is called when the call is rejected.
#[inline]
pub fn with_fallback<F, J, I, G>(
    circuit: Circuit,
    call_site: &'static CallSite,
    judge: J,
    body: F,
    fallback: I,
) -> CallOrFallback<F, J, I, G>
where
    F: Future,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    let guarded = GuardedFuture::new(Call::unadmitted(CircuitAt { circuit, call_site }), body, judge);
    CallOrFallback::Call { guarded, fallback: Some(fallback) }
}

impl<F, J, I, G> Future for CallOrFallback<F, J, I, G>
where
    F: Future,
    J: Judge<F::Output> + Continues<F::Output>,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    type Output = F::Output;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        loop {
            let future = match self.as_mut().project() {
                CallOrFallbackProjection::Fallback { future } => return future.poll(cx),
                CallOrFallbackProjection::Call { mut guarded, fallback } => match guarded.as_mut().admit_once() {
                    Ok(()) => return guarded.poll(cx),
                    Err(open) => fallback.take().expect("a call is rejected once")(open),
                },
            };
            self.set(Self::Fallback { future });
        }
    }
}

/// Returns whether the call was rejected, and the admission itself.
///
/// The expansion moves the admission through these functions. If it were borrowed or matched on in the expansion, the
/// compiler would reserve space for it in the function's future.
#[inline]
pub fn is_rejected<C>(admission: Result<C, CircuitOpen>) -> (bool, Result<C, CircuitOpen>) {
    (admission.is_err(), admission)
}

/// Returns the rejection.
///
/// # Panics
///
/// If the call was admitted.
#[inline]
pub fn rejection_of<C>(admission: Result<C, CircuitOpen>) -> CircuitOpen {
    admission.err().expect("the call was rejected")
}

/// Returns the admitted call.
///
/// # Panics
///
/// If the call was rejected.
#[inline]
pub fn admitted<C>(admission: Result<C, CircuitOpen>) -> C {
    admission.expect("the call was admitted")
}
