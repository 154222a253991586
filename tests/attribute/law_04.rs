//! Law 4: creating a future takes no slot, and dropping it unpolled releases none.

use std::pin::Pin;

use futures::{Stream, stream};

use crate::common::half_open;
use breaker_core::{Circuit, CircuitOpen, TimedOut, breaker};

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
}

type Answer = Result<u32, Error>;
type Boxed<'c, T> = Pin<Box<dyn Future<Output = T> + Send + 'c>>;

#[breaker(connection = *circuit, is_failure = |_| true)]
async fn later(circuit: &Circuit) -> Answer {
    std::future::ready(Ok(1)).await
}

#[breaker(connection = *circuit, is_failure = |_| true, timeout = "5s", fallback = |_| Ok(9))]
async fn limited(circuit: &Circuit) -> Answer {
    std::future::ready(Ok(1)).await
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn opaque(circuit: &Circuit) -> impl Future<Output = Answer> + Send {
    async { Ok(1) }
}

#[breaker(connection = *circuit, is_failure = |_| true, fallback = |_| Ok(9))]
fn opaque_or_else(circuit: &Circuit) -> impl Future<Output = Answer> + Send {
    async { Ok(1) }
}

#[breaker(connection = *circuit, is_failure = |_| true, timeout = "5s")]
fn opaque_limited(circuit: &Circuit) -> impl Future<Output = Answer> + Send {
    async { Ok(1) }
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn boxed(circuit: &Circuit) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
    Box::pin(async { Ok(1) })
}

#[breaker(connection = *circuit, is_failure = |_| true, timeout = "5s")]
fn boxed_limited(circuit: &Circuit) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
    Box::pin(async { Ok(1) })
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn numbers(circuit: &Circuit) -> impl Stream<Item = Answer> + Send {
    stream::iter([Ok(1)])
}

// Fails if creating a future asks for a slot, or if its drop releases a slot that it never held.
#[tokio::test(start_paused = true)]
async fn an_unpolled_future_makes_no_call() {
    type Call = for<'c> fn(&'c Circuit) -> Boxed<'c, Answer>;
    let calls: [Call; 8] = [
        |circuit| Box::pin(later(circuit)),
        |circuit| Box::pin(limited(circuit)),
        |circuit| Box::pin(opaque(circuit)),
        |circuit| Box::pin(opaque_or_else(circuit)),
        |circuit| Box::pin(opaque_limited(circuit)),
        |circuit| boxed(circuit),
        |circuit| boxed_limited(circuit),
        |circuit| {
            let mut numbers = Box::pin(numbers(circuit));
            Box::pin(async move { futures::StreamExt::next(&mut numbers).await.unwrap() })
        },
    ];
    for (position, call) in calls.into_iter().enumerate() {
        let circuit = half_open();
        let before = circuit.snapshot();
        let (kept, dropped) = (call(&circuit), call(&circuit));
        drop(dropped);
        let after = circuit.snapshot();
        assert_eq!((after.state, after.dropped, after.rejected), (before.state, 0, 0), "call {position}");
        assert_eq!(kept.await.unwrap(), 1, "call {position}");
    }
}
