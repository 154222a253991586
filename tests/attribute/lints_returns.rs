//! An expansion does not trigger `clippy::implicit_return`.
#![deny(warnings, clippy::implicit_return)]
#![allow(clippy::needless_return, reason = "the opposite lint")]

use std::pin::Pin;

use breaker_core::{CircuitOpen, TimedOut, breaker};
use futures::{Stream, stream};

#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

type Answer = Result<u32, CallError>;

fn always(_: &CallError) -> bool {
    return true;
}

#[breaker(connection = "returns", is_failure = always)]
fn at_once(text: String) -> Result<String, CallError> {
    return Ok(text);
}

#[breaker(connection = "returns", is_failure = always, fallback = |_open| return Ok(1))]
fn at_once_or_else() -> Answer {
    return Ok(1);
}

#[breaker(connection = "returns", is_failure = |_| return true, is_success = |_: &u32| { return true; })]
async fn later(text: String) -> Answer {
    std::future::ready(text).await;
    return Ok(1);
}

#[breaker(connection = "returns", is_failure = always, fallback = |_open| return Ok(1), timeout = "5s")]
async fn later_or_else() -> Answer {
    std::future::ready(()).await;
    return Ok(1);
}

#[breaker(connection = "returns", is_failure = always, timeout = "5s")]
fn opaque() -> impl Future<Output = Answer> {
    return async { return Ok(1) };
}

#[breaker(connection = "returns", is_failure = always)]
fn boxed() -> Pin<Box<dyn Future<Output = Answer>>> {
    return Box::pin(async { return Ok(1) });
}

#[breaker(connection = "returns", is_failure = always)]
fn numbers() -> impl Stream<Item = Answer> {
    return stream::iter([Ok(1)]);
}

#[breaker(connection = "returns", is_failure = always, fallback = |open| return Err(open.into()), settles = first_item)]
async fn numbers_in_a_result() -> Result<impl Stream<Item = Answer>, CallError> {
    std::future::ready(()).await;
    return Ok(stream::iter([Ok(1)]));
}

#[breaker(connection = "returns", is_failure = always)]
fn numbers_in_a_result_at_once() -> Result<impl Stream<Item = Answer>, CallError> {
    return Ok(stream::iter([Ok(1)]));
}

#[test]
fn functions_with_returns_run() {
    assert!(numbers_in_a_result_at_once().is_ok());
    drop(numbers_in_a_result());
    assert_eq!(at_once("a".to_owned()).unwrap(), "a");
    assert_eq!(at_once_or_else().unwrap(), 1);
    drop((later("a".to_owned()), later_or_else(), opaque(), boxed(), numbers()));
}
