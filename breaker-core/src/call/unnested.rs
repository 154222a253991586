//! Calls that run on the stack of another call without being a part of it.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::circuit::nesting::HiddenCalls;

/// Runs a function outside of the guarded calls that run on this thread, so that its own guarded calls are not nested in them.
///
/// Calls are nested if one runs on the stack of the other. That is wrong where a thread that waits inside a guarded call
/// runs unrelated work meanwhile: a worker of a work-stealing pool such as `rayon`, or a local executor whose `block_on`
/// polls other tasks, too. Without `unnested`, the failures of these tasks would count as one failure, and their calls
/// would use the permit of a probe. Put it around each such task; for a future, use [`unnested_async`].
///
/// A call that is not on the stack of a guarded call needs neither, and where there is none, they change nothing. A
/// spawned task or thread is never nested.
///
/// ```
/// use breaker_core::{Circuit, CircuitOpen, Config, unnested};
///
/// # fn download(_: u32) -> Result<(), CircuitOpen> { Ok(()) }
/// # struct Pages;
/// # impl Pages { fn into_par_iter(self) -> std::ops::Range<u32> { 0..3 } }
/// # let pages = Pages;
/// let shop = Circuit::new("shop-7", Config::default());
/// // With rayon, a worker that waits inside `download` may run another page on the same stack.
/// pages.into_par_iter().for_each(|page| {
///     let downloaded: Result<(), CircuitOpen> = unnested(|| shop.call(|| download(page)));
///     assert!(downloaded.is_ok());
/// });
/// ```
///
/// # Panics
///
/// If the function does.
pub fn unnested<R>(run: impl FnOnce() -> R) -> R {
    let _hidden = HiddenCalls::hide();
    run()
}

/// Polls a future outside of the guarded calls that run on this thread: see [`unnested`].
///
/// ```
/// use breaker_core::unnested_async;
/// use tokio::task::LocalSet;
///
/// # async fn import_orders() {}
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let tasks = LocalSet::new();
/// // A guarded call that waits for `tasks.run_until(..)` polls this task on its own stack.
/// let orders = tasks.spawn_local(unnested_async(import_orders()));
/// tasks.run_until(orders).await.unwrap();
/// # }
/// ```
pub fn unnested_async<F: Future>(future: F) -> Unnested<F> {
    Unnested { future: Some(future) }
}

pin_project! {
    /// The future of [`unnested_async`]. It is dropped outside of the guarded calls, too.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Unnested<F> {
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for Unnested<F> {
        fn drop(this: Pin<&mut Self>) {
            let _hidden = HiddenCalls::hide();
            this.project().future.set(None);
        }
    }
}

impl<F: Future> Future for Unnested<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _hidden = HiddenCalls::hide();
        self.project().future.as_pin_mut().expect("it is there until it is dropped").poll(cx)
    }
}
