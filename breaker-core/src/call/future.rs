//! Calls through a circuit.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::{Call, Guard};
use crate::circuit::{Hold, UNNAMED};
use crate::judge::{ByType, Judge, OnRejection, PassOn};
use crate::rejection::CircuitOpen;

/// Runs the body of a call that was let in, and settles it.
#[inline]
pub(crate) fn run<R, H: Hold>(mut call: Call<H>, body: impl FnOnce() -> R, judge: &impl Judge<R>) -> R {
    let (result, last) = call.within(body);
    call.finish(judge, &result, last);
    result
}

pin_project! {
    /// A body that was admitted, as a future that settles its guard.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct GuardedFuture<H: Hold, F, J> {
        // Dropped first, so that a body which is dropped half-way is gone before its call is settled.
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

    /// Asks to be let in, the first time.
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
    /// The future of [`Circuit::call_async`](crate::Circuit::call_async) and of guarded functions that return a future: it
    /// asks for admission at its first poll.
    ///
    /// `H` is the circuit, borrowed or owned, and `F` the body. `J` judges the result and `I` takes its place where the
    /// call is rejected.
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
