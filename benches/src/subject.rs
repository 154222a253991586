//! The subject of a measurement: one way to call the shop, with or without a circuit breaker.

use std::hint::{self, black_box};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// One way to call the shop.
pub trait Subject: Sync {
    /// The result of a call.
    type Output;

    /// Returns the future of one call.
    fn call(&self, article: u64) -> impl Future<Output = Self::Output>;

    /// The number of calls after which the caches of a thread are full.
    fn warm_up_calls(&self) -> usize {
        4
    }
}

/// Fills the caches of this thread.
pub fn warm_up<S: Subject>(subject: &S, article: u64) {
    for _ in 0..subject.warm_up_calls() {
        call_once(subject, article);
    }
}

/// Makes one call and polls it until it is ready. The optimiser knows neither the subject nor the article.
pub fn call_once<S: Subject>(subject: &S, article: u64) {
    let mut future = pin!(black_box(subject).call(black_box(article)));
    loop {
        match poll_once(future.as_mut()) {
            Poll::Ready(result) => break drop(black_box(result)),
            // The shop answers at once, so only a breaker that waits for another thread returns `Pending`.
            Poll::Pending => hint::spin_loop(),
        }
    }
}

/// Polls a future through a pointer, as an executor does. This function is not inlined, so that the compiler cannot merge
/// the code of the future with that of its caller.
#[inline(never)]
fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Implements [`Subject`] for a type. The last argument gives the expression that returns the future of a call.
macro_rules! subject {
    ($name:ident, $output:ty, |$this:ident, $article:ident| $call:expr) => {
        impl Subject for $name {
            type Output = $output;

            #[inline]
            fn call(&self, $article: u64) -> impl Future<Output = $output> {
                let $this = self;
                $call
            }
        }
    };
}

pub(crate) use subject;
