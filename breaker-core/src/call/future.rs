//! Futures of guarded calls.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::{Call, Continues, Guard};
use crate::circuit::Hold;
use crate::judge::{ByType, Judge, OnRejection, PassOn};
use crate::rejection::CircuitOpen;

/// Runs the body of an admitted call and settles it.
#[inline]
pub(crate) fn run<R, H: Hold>(
    mut call: Call<H>,
    body: impl FnOnce() -> R,
    judge: &(impl Judge<R> + Continues<R>),
) -> R {
    #[cfg(feature = "stream")]
    if is_possible(judge, &body) {
        let result = call.within(body);
        return call.continue_in(judge, result);
    }
    match call.poll(judge, || Poll::Ready(body())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("the body returned"),
    }
}

pin_project! {
    /// A body with the guard that settles its call. The owner must call `admit_once` before each poll.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct GuardedFuture<H: Hold, F, J> {
        // Declared first so that it is dropped before the guard: the destructors of the body are a part of the call.
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

    /// Asks for admission at the first poll, and does nothing at later ones.
    #[inline]
    pub(crate) fn admit_once(self: Pin<&mut Self>) -> Result<(), CircuitOpen> {
        self.project().guard.admit_once()
    }
}

/// Whether the call may go on in its result. It is constant for each type, so that a plain call does not ask.
#[cfg(feature = "stream")]
#[inline]
fn is_possible<R, J: Continues<R>>(_: &J, _: &impl FnOnce() -> R) -> bool {
    J::POSSIBLE
}

impl<H: Hold, F: Future, J: Judge<F::Output> + Continues<F::Output>> Future for GuardedFuture<H, F, J> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        #[cfg(feature = "stream")]
        if J::POSSIBLE {
            let polled = this.guard.call().within(|| this.body.poll(cx));
            return polled.map(|result| this.guard.call().continue_in(this.judge, result));
        }
        this.guard.call().poll(this.judge, || this.body.poll(cx))
    }
}

pin_project! {
    /// The future of a guarded call, from [`Circuit::call_async`](crate::Circuit::call_async) and its variants.
    ///
    /// It asks the circuit for admission at its first poll, so a future that is never polled has no effect. Dropping it
    /// between the first poll and its end is a cancellation, whose evidence is Unknown unless the call ran longer than
    /// [`dropped_after`](crate::ConfigBuilder::dropped_after). It allocates nothing, and is `Send` if the future of the
    /// call is.
    ///
    /// # Type parameters
    ///
    /// | parameter | meaning | with `call_async` |
    /// |---|---|---|
    /// | `H` | the handle to the circuit | `&Circuit` |
    /// | `F` | the future of the call itself | the argument of `call_async` |
    /// | `J` | how the result is judged | the default: by the type of the error |
    /// | `I` | what a rejected call returns | the default: the rejection, as an error |
    ///
    /// So the type of a field needs only the first two. If the future of the call has a type that cannot be named, box
    /// it. The variants of `call_async` have another `J`, whose type has no public name; box the whole `CallFuture`
    /// there.
    ///
    /// ```
    /// use std::pin::Pin;
    /// use breaker_core::{CallFuture, Circuit, CircuitOpen, Config};
    ///
    /// type Fetch = Pin<Box<dyn Future<Output = Result<u32, CircuitOpen>> + Send>>;
    ///
    /// /// A request under way, which a caller can store and poll later.
    /// struct PendingRequest<'c> {
    ///     article: u64,
    ///     call: CallFuture<&'c Circuit, Fetch>,
    /// }
    ///
    /// async fn fetch_stock(article: u64) -> Result<u32, CircuitOpen> {
    ///     Ok(if article == 7 { 3 } else { 0 })
    /// }
    ///
    /// # #[tokio::main]
    /// # async fn main() {
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let fetch: Fetch = Box::pin(fetch_stock(7));
    /// let request = PendingRequest { article: 7, call: circuit.call_async(fetch) };
    /// assert_eq!((request.article, request.call.await.unwrap()), (7, 3));
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If it is polled again after it returned a rejection. After any other result, it panics only if the future of the
    /// call does.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct CallFuture<H: Hold, F, J = ByType, I = PassOn> {
        #[pin]
        guarded: GuardedFuture<H, F, J>,
        on_rejection: I,
    }
}

impl<H: Hold, F, J, I> CallFuture<H, F, J, I> {
    #[inline]
    pub(crate) fn of(call: Call<H>, body: F, judge: J, on_rejection: I) -> Self {
        Self { guarded: GuardedFuture::new(call, body, judge), on_rejection }
    }
}

impl<H, F, J, I> Future for CallFuture<H, F, J, I>
where
    H: Hold,
    F: Future,
    J: Judge<F::Output> + Continues<F::Output>,
    I: OnRejection<F::Output>,
{
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        if let Err(open) = this.guarded.as_mut().admit_once() {
            return Poll::Ready(this.on_rejection.of_a_call(open));
        }
        this.guarded.poll(cx)
    }
}

impl<H: Hold, F, J> CallFuture<H, F, J> {
    /// Creates the future of a call whose rejection is returned as an error.
    #[inline]
    pub(crate) fn passing_on(circuit: H, body: F, judge: J) -> Self {
        Self::of(Call::unadmitted(circuit), body, judge, PassOn)
    }
}
