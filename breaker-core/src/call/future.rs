//! Futures of guarded calls.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::{Call, Guard};
use crate::circuit::{Hold, UNNAMED};
use crate::judge::{ByType, Judge, OnRejection, PassOn};
use crate::rejection::CircuitOpen;

/// Runs the body of an admitted call and settles it.
#[inline]
pub(crate) fn run<R, H: Hold>(mut call: Call<H>, body: impl FnOnce() -> R, judge: &impl Judge<R>) -> R {
    let (result, last) = call.within(body);
    call.finish(judge, &result, last);
    result
}

pin_project! {
    /// The future of an admitted body, with the guard that settles it.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct GuardedFuture<H: Hold, F, J> {
        // Declared first so that it is dropped first: the destructor of the body is a part of the call.
        #[pin]
        body: F,
        guard: Guard<H>,
        judge: J,
    }

    impl<H: Hold, F, J> PinnedDrop for GuardedFuture<H, F, J> {
        #[inline]
        fn drop(this: Pin<&mut Self>) {
            this.project().guard.before_drop();
        }
    }
}

impl<H: Hold, F, J> GuardedFuture<H, F, J> {
    #[inline]
    pub(crate) fn new(call: Call<H>, body: F, judge: J) -> Self {
        Self { body, guard: Guard::new(call), judge }
    }

    /// Asks for admission at the first poll.
    #[inline]
    pub(crate) fn admit_once(self: Pin<&mut Self>) -> Result<(), CircuitOpen> {
        self.project().guard.admit_once()
    }
}

impl<H: Hold, F: Future, J: Judge<F::Output>> Future for GuardedFuture<H, F, J> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let (polled, last) = this.guard.call().within(|| this.body.poll(cx));
        if let Poll::Ready(result) = &polled {
            this.guard.call().finish(this.judge, result, last);
        }
        polled
    }
}

pin_project! {
    /// The future of [`Circuit::call_async`](crate::Circuit::call_async) and of guarded functions that return a future.
    /// It asks for admission at its first poll, and a drop before it finished is a cancellation.
    ///
    /// `H` is the circuit, borrowed or owned, and `F` the future of the call itself. `J` is the judge of the result,
    /// and `I` makes the return value of a rejected call; both have defaults, so a field is written as follows:
    ///
    /// ```
    /// use std::future::{Ready, ready};
    /// use breaker_core::{CallFuture, Circuit, CircuitOpen, Config};
    ///
    /// struct Request<'c> {
    ///     call: CallFuture<&'c Circuit, Ready<Result<u32, CircuitOpen>>>,
    /// }
    ///
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let request = Request { call: circuit.call_async(ready(Ok(3))) };
    /// # drop(request.call);
    /// ```
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct CallFuture<H: Hold, F, J = ByType, I = PassOn> {
        #[pin]
        guarded: GuardedFuture<H, F, J>,
        instead: I,
    }
}

impl<H: Hold, F, J, I> CallFuture<H, F, J, I> {
    #[inline]
    pub(crate) fn of(call: Call<H>, body: F, judge: J, instead: I) -> Self {
        Self { guarded: GuardedFuture::new(call, body, judge), instead }
    }
}

impl<H: Hold, F: Future, J: Judge<F::Output>, I: OnRejection<F::Output>> Future for CallFuture<H, F, J, I> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        if let Err(open) = this.guarded.as_mut().admit_once() {
            return Poll::Ready(this.instead.of_a_call(open));
        }
        this.guarded.poll(cx)
    }
}

impl<H: Hold, F, J> CallFuture<H, F, J> {
    #[inline]
    pub(crate) fn passing_on(circuit: H, body: F, judge: J) -> Self {
        Self::of(Call::unadmitted(circuit, &UNNAMED), body, judge, PassOn)
    }
}
