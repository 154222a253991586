//! The subjects of a measurement, and how one call of a subject is run.

use std::hint::{self, black_box};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// One way to call the shop.
pub trait Subject: Sync {
    /// The result of a call.
    type Output;

    /// One call.
    fn call(&self, article: u64) -> impl Future<Output = Self::Output>;
}

/// Makes one call and runs it to its end. The subject and the article are hidden from the optimiser.
#[inline]
pub fn call_once<S: Subject>(subject: &S, article: u64) {
    let mut future = pin!(black_box(subject).call(black_box(article)));
    loop {
        match poll_once(future.as_mut()) {
            Poll::Ready(result) => break drop(black_box(result)),
            // The shop answers at once, so a pending future waits for another thread of the breaker.
            Poll::Pending => hint::spin_loop(),
        }
    }
}

/// The future is in memory and polled through a pointer, as by an executor, so that only code inside it is inlined.
#[inline(never)]
fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
