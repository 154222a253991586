//! Calls through a circuit.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::guard::{Call, Guard, Hold};
use crate::outcome::Judge;
use crate::rejection::CircuitOpen;
use crate::site::UNNAMED;

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
    /// The future of [`Circuit::call_async`]: admitted at its first poll.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct CallAsync<H: Hold, F, J> {
        #[pin]
        guarded: GuardedFuture<H, F, J>,
    }
}

impl<H: Hold, F, J> CallAsync<H, F, J> {
    #[inline]
    pub(crate) fn new(circuit: H, body: F, judge: J) -> Self {
        let call = Call::unadmitted(circuit, &UNNAMED);
        Self { guarded: GuardedFuture::new(call, body, judge) }
    }
}

impl<T, E, H, F, J> Future for CallAsync<H, F, J>
where
    H: Hold,
    F: Future<Output = Result<T, E>>,
    E: From<CircuitOpen>,
    J: Judge<Result<T, E>>,
{
    type Output = Result<T, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T, E>> {
        let mut guarded = self.project().guarded;
        guarded.as_mut().project().guard.admit_once()?;
        guarded.poll(cx)
    }
}
