//! Calls through a circuit.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::circuit::Circuit;
use crate::guard::{Guard, Held};
use crate::outcome::Judge;
use crate::rejection::CircuitOpen;
use crate::site::UNNAMED;

/// A plain call.
pub(crate) struct Call<'c>(Guard<'c>);

impl<'c> Call<'c> {
    #[inline]
    pub(crate) fn new(circuit: &'c Circuit) -> Self {
        Self(Guard::unadmitted(Held::Borrowed(circuit), &UNNAMED))
    }

    #[inline]
    pub(crate) fn run<T, E: From<CircuitOpen>>(
        self,
        body: impl FnOnce() -> Result<T, E>,
        judge: &impl Judge<Result<T, E>>,
    ) -> Result<T, E> {
        let mut guard = self.0;
        guard.admit()?;
        run(guard, body, judge)
    }
}

/// Runs a body that was admitted, and settles its guard.
#[inline]
pub(crate) fn run<R>(mut guard: Guard<'_>, body: impl FnOnce() -> R, judge: &impl Judge<R>) -> R {
    let result = guard.within(body);
    guard.finish(judge.report(&result));
    result
}

pin_project! {
    /// A body that was admitted, as a future that settles its guard.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct GuardedFuture<'c, F, J> {
        // Dropped first, so that a body which is dropped half-way is gone before its call is settled.
        #[pin]
        body: F,
        guard: Guard<'c>,
        judge: J,
    }

    impl<F, J> PinnedDrop for GuardedFuture<'_, F, J> {
        fn drop(this: Pin<&mut Self>) {
            this.project().guard.before_drop();
        }
    }
}

impl<'c, F, J> GuardedFuture<'c, F, J> {
    #[inline]
    pub(crate) fn new(guard: Guard<'c>, body: F, judge: J) -> Self {
        Self { body, guard, judge }
    }
}

impl<F: Future, J: Judge<F::Output>> Future for GuardedFuture<'_, F, J> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let result = ready!(this.guard.within(|| this.body.poll(cx)));
        this.guard.finish(this.judge.report(&result));
        Poll::Ready(result)
    }
}

pin_project! {
    /// The future of [`Circuit::call_async`]: admitted at its first poll.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct CallAsync<'c, F, J> {
        #[pin]
        guarded: GuardedFuture<'c, F, J>,
    }
}

impl<'c, F, J> CallAsync<'c, F, J> {
    #[inline]
    pub(crate) fn new(circuit: &'c Circuit, body: F, judge: J) -> Self {
        let guard = Guard::unadmitted(Held::Borrowed(circuit), &UNNAMED);
        Self { guarded: GuardedFuture::new(guard, body, judge) }
    }
}

impl<T, E, F, J> Future for CallAsync<'_, F, J>
where
    F: Future<Output = Result<T, E>>,
    E: From<CircuitOpen>,
    J: Judge<Result<T, E>>,
{
    type Output = Result<T, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T, E>> {
        let mut guarded = self.project().guarded;
        let guard = guarded.as_mut().project().guard;
        if guard.is_unadmitted() {
            guard.admit()?;
        }
        guarded.poll(cx)
    }
}
