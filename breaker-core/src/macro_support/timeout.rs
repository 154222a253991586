//! How the body of a function with a time limit runs.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Timeout, timeout};

use super::Returned;
use crate::call::{Call, GuardedFuture};
use crate::circuit::{CallSite, Circuit, Hold};
use crate::judge::{CarriesTimeout, Judge, Outcome, TimedJudge, TimedOut};
use crate::rejection::CircuitOpen;

pin_project! {
    /// A body that is given up when it has run for as long as it may.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct InTime<H: Hold, F, J> {
        #[pin]
        guarded: GuardedFuture<H, Timeout<F>, TimedJudge<J>>,
        limit: Duration,
    }
}

/// Runs the body of a function whose call was admitted.
///
/// Without a runtime there is no timer, which is a panic: it belongs to the call, so that this gives its slot back.
#[inline]
pub fn run_in_time<H: Hold, F: Future, J>(mut call: Call<H>, judge: J, limit: Duration, body: F) -> InTime<H, F, J> {
    let (body, _) = call.within(|| timeout(limit, body));
    InTime { guarded: GuardedFuture::new(call, body, TimedJudge(judge)), limit }
}

impl<H, F, J> Future for InTime<H, F, J>
where
    H: Hold,
    F: Future,
    F::Output: Outcome,
    <F::Output as Outcome>::Error: CarriesTimeout,
    J: Judge<F::Output>,
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
    /// A call with a time limit that asks to be let in at its first poll, or what is awaited instead. A block that awaits
    /// would keep the body twice, as it got it and as it runs.
    #[project = Stage]
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub enum TimedCall<F, J, I, G> {
        /// Not polled yet.
        Waiting { waiting: Option<Waiting<F, J, I>> },
        /// The call.
        Running {
            #[pin]
            running: InTime<Circuit, F, J>,
        },
        /// What is awaited instead.
        Instead {
            #[pin]
            future: G,
        },
    }
}

/// All that a call is made of. Nothing of it is pinned yet.
#[derive(Debug)]
pub struct Waiting<F, J, I> {
    circuit: Circuit,
    site: &'static CallSite,
    judge: J,
    limit: Duration,
    body: F,
    instead: I,
}

/// The type of that, for this body, before all of it is known.
#[inline]
#[must_use]
pub fn timed_call<F: Future, J, I, G>(_: &F) -> Returned<TimedCall<F, J, I, G>> {
    Returned::new()
}

/// Guards what a function hands out, with a time limit. What to await instead is asked for when the call is rejected.
#[inline]
pub fn with_limit<F, J, I, G>(
    circuit: Circuit,
    site: &'static CallSite,
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
    TimedCall::Waiting { waiting: Some(Waiting { circuit, site, judge, limit, body, instead }) }
}

impl<F, J, I, G> Future for TimedCall<F, J, I, G>
where
    F: Future,
    F::Output: Outcome,
    <F::Output as Outcome>::Error: CarriesTimeout,
    J: Judge<F::Output>,
    I: FnOnce(CircuitOpen) -> G,
    G: Future<Output = F::Output>,
{
    type Output = F::Output;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        loop {
            let next = match self.as_mut().project() {
                Stage::Running { running } => return running.poll(cx),
                Stage::Instead { future } => return future.poll(cx),
                Stage::Waiting { waiting } => {
                    let Waiting { circuit, site, judge, limit, body, instead } =
                        waiting.take().expect("a guarded future is polled again after it panicked");
                    match Call::admitted(circuit, site) {
                        Ok(call) => Self::Running { running: run_in_time(call, judge, limit, body) },
                        Err(open) => Self::Instead { future: instead(open) },
                    }
                }
            };
            self.set(next);
        }
    }
}
