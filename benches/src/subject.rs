//! What can be measured, and how one call of it is driven.

use std::hint::{self, black_box};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// One way to call the shop.
pub trait Subject: Sync {
    /// What a call returns.
    type Output;

    /// One call.
    fn call(&self, article: u64) -> impl Future<Output = Self::Output>;
}

/// Calls once, to the end. Nothing is known about the subject or the article when this is compiled.
#[inline]
pub fn call_once<S: Subject>(subject: &S, article: u64) {
    let mut future = pin!(black_box(subject).call(black_box(article)));
    loop {
        match poll_once(future.as_mut()) {
            Poll::Ready(result) => break drop(black_box(result)),
            // The shop answers at once, so it is a breaker that waits for another thread.
            Poll::Pending => hint::spin_loop(),
        }
    }
}

/// A future lives in memory and is polled by an executor that does not know it: only what is inside of it is inlined.
#[inline(never)]
fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
