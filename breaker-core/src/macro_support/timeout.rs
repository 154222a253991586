//! Guarded functions with a timeout.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::error::Elapsed;
use tokio::time::{Timeout, timeout};

use super::Returned;
use crate::call::{Call, Continues, GuardedFuture};
use crate::circuit::{CallSite, Circuit, CircuitAt, Hold};
use crate::judge::{CarriesTimeout, Judge, Outcome, TimedJudge, TimedOut};
use crate::rejection::CircuitOpen;

pin_project! {
    /// A body that is dropped when its timeout expires, as a part of the call. What the destructors of the body and the
    /// inner calls in it report then counts with the timeout, and a probe does not reject a call that they make.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct LimitedBody<F> {
        #[pin]
        body: Option<Timeout<F>>,
    }
}

impl<F: Future> Future for LimitedBody<F> {
    type Output = Result<F::Output, Elapsed>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut body = self.project().body;
        let running = body.as_mut().as_pin_mut().expect("a guarded future is polled again after its timeout");
        let result = ready!(running.poll(cx));
        if result.is_err() {
            body.set(None);
        }
        Poll::Ready(result)
    }
}

pin_project! {
    /// A guarded body with a timeout.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct InTime<H: Hold, F, J> {
        #[pin]
        guarded: GuardedFuture<H, LimitedBody<F>, TimedJudge<J>>,
        limit: Duration,
    }
}

/// Runs the body of a function whose call was admitted.
///
/// `tokio` panics where no runtime provides a timer. The timer is created inside the call, so that such a panic settles the
/// call and frees the slot of a probe.
#[inline]
pub fn run_in_time<H: Hold, F: Future, J>(mut call: Call<H>, judge: J, limit: Duration, body: F) -> InTime<H, F, J> {
    let body = call.within(|| LimitedBody { body: Some(timeout(limit, body)) });
    InTime { guarded: GuardedFuture::new(call, body, TimedJudge(judge)), limit }
}

impl<H, F, J> Future for InTime<H, F, J>
where
    H: Hold,
    F: Future,
    F::Output: Outcome,
    <F::Output as Outcome>::Error: CarriesTimeout,
    J: Judge<F::Output> + Continues<F::Output>,
{
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        Poll::Ready(match ready!(this.guarded.poll(cx)) {
            Ok(result) => result,
            Err(_) => Outcome::from_error(CarriesTimeout::carry(TimedOut::after(*this.limit))),
        })
    }
}

pin_project! {
    /// A call with a timeout that asks for admission at its first poll, or the fallback that is awaited instead.
    ///
    /// An `async` block would store the body twice: as an argument and as it runs. Unlike [`CallOrFallback`], this future
    /// creates its timer at the first poll, so it keeps the parts of the call until then.
    ///
    /// [`CallOrFallback`]: super::fallback::CallOrFallback
    #[project = TimedCallProjection]
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub enum TimedCall<F, J, I, G> {
        /// Not polled yet.
        Unpolled { parts: Option<UnpolledCall<F, J, I>> },
        /// The call.
        Running {
            #[pin]
            running: InTime<CircuitAt, F, J>,
        },
        /// The fallback.
        Fallback {
            #[pin]
            future: G,
        },
    }
}

/// The parts of a call. None of them is pinned yet.
#[derive(Debug)]
pub struct UnpolledCall<F, J, I> {
    circuit: Circuit,
    call_site: &'static CallSite,
    judge: J,
    limit: Duration,
    body: F,
    instead: I,
}

/// Returns a placeholder for the future of this body, before its other parts are known.
#[inline]
#[must_use]
pub fn timed_call<F: Future, J, I, G>(_: &F) -> Returned<TimedCall<F, J, I, G>> {
    Returned::new()
}

/// Guards the future that a function returns, with a timeout. `instead` is called when the call is rejected.
#[inline]
pub fn with_limit<F, J, I, G>(
    circuit: Circuit,
    call_site: &'static CallSite,
    judge: J,
    limit: Duration,
    body: F,
    instead: I,
) -> TimedCall<F, J, I, G>
where
    F: Future,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    TimedCall::Unpolled { parts: Some(UnpolledCall { circuit, call_site, judge, limit, body, instead }) }
}

impl<F, J, I, G> Future for TimedCall<F, J, I, G>
where
    F: Future,
    F::Output: Outcome,
    <F::Output as Outcome>::Error: CarriesTimeout,
    J: Judge<F::Output> + Continues<F::Output>,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    type Output = F::Output;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        loop {
            let next = match self.as_mut().project() {
                TimedCallProjection::Running { running } => return running.poll(cx),
                TimedCallProjection::Fallback { future } => return future.poll(cx),
                TimedCallProjection::Unpolled { parts } => {
                    let UnpolledCall { circuit, call_site, judge, limit, body, instead } =
                        parts.take().expect("a guarded future is polled again after it panicked");
                    match Call::admitted(CircuitAt { circuit, call_site }) {
                        Ok(call) => Self::Running { running: run_in_time(call, judge, limit, body) },
                        Err(open) => Self::Fallback { future: instead(open) },
                    }
                }
            };
            self.set(next);
        }
    }
}
