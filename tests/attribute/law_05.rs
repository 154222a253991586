//! Law 5: annotated functions that call each other.

use std::pin::{Pin, pin};
use std::task::{Context, Waker};

use futures::{Stream, StreamExt as _, stream};

use crate::common::{CallError, breaking_at, half_open, ready};
use breaker_core::{Circuit, State, breaker};

type Answer = Result<u32, CallError>;

#[breaker(connection = *circuit)]
async fn inner(circuit: &Circuit, answer: Answer) -> Answer {
    std::future::ready(answer).await
}

#[breaker(connection = *circuit)]
fn inner_at_once(circuit: &Circuit, answer: Answer) -> Answer {
    answer
}

#[breaker(connection = *circuit)]
async fn passes_on(circuit: &Circuit) -> Answer {
    inner(circuit, Err(CallError::Failed)).await
}

#[breaker(connection = *circuit)]
fn handles(circuit: &Circuit) -> Answer {
    inner_at_once(circuit, Err(CallError::Failed)).or(Ok(0))
}

#[breaker(connection = *circuit)]
async fn cannot_decode(circuit: &Circuit) -> Answer {
    inner(circuit, Ok(1)).await?;
    Err(CallError::Failed)
}

#[breaker(connection = *circuit)]
fn handed_out(circuit: &Circuit) -> impl Future<Output = Answer> {
    async { inner(circuit, Err(CallError::Failed)).await }
}

/// Makes a call until the circuit opens, and asserts that each call counts one failure.
#[track_caller]
fn each_call_counts_once(call: impl Fn(&Circuit) -> Answer) {
    let circuit = Circuit::new("shop", breaking_at(3));
    for failed in 1..=3 {
        assert_eq!(circuit.state(), State::Closed, "before call {failed}");
        drop(call(&circuit));
        let streak = if failed < 3 { failed } else { 0 };
        assert_eq!((circuit.snapshot().failed, circuit.snapshot().streak), (failed.into(), streak), "call {failed}");
    }
    assert_eq!(circuit.state(), State::Open);
}

// Fails if an outer call is settled regardless of the reports of inner calls.
#[test]
fn one_remote_failure_counts_once() {
    each_call_counts_once(|circuit| ready(passes_on(circuit)));
    // A handled failure still counts.
    each_call_counts_once(handles);
    each_call_counts_once(|circuit| ready(handed_out(circuit)));
    // The inner answer clears the streak of the calls before, which comes back with the failure of the outer call.
    each_call_counts_once(|circuit| ready(cannot_decode(circuit)));
}

#[breaker(connection = *circuit)]
fn recursive(circuit: &Circuit, depth: u32) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
    Box::pin(async move {
        match depth {
            0 => Err(CallError::Failed),
            _ => recursive(circuit, depth - 1).await,
        }
    })
}

#[breaker(connection = *circuit)]
async fn recursive_in_a_box(circuit: &Circuit, depth: u32) -> Answer {
    match depth {
        0 => Ok(0),
        _ => Ok(Box::pin(recursive_in_a_box(circuit, depth - 1)).await? + 1),
    }
}

#[test]
fn recursive_calls_are_nested() {
    each_call_counts_once(|circuit| ready(recursive(circuit, 9)));
    let circuit = half_open();
    assert_eq!(ready(recursive_in_a_box(&circuit, 9)).unwrap(), 9, "a probe does not reject itself");
    assert_eq!(circuit.state(), State::Closed);
}

#[breaker(connection = *b)]
async fn on_b(a: &Circuit, b: &Circuit) -> Answer {
    inner(a, Ok(1)).await
}

#[breaker(connection = *a)]
async fn on_a(a: &Circuit, b: &Circuit) -> Answer {
    on_b(a, b).await
}

#[test]
fn nested_calls_of_a_and_b_and_a_again() {
    let (a, b) = (half_open(), half_open());
    assert_eq!(ready(on_a(&a, &b)).unwrap(), 1);
    assert_eq!((a.state(), b.state()), (State::Closed, State::Closed));
}

#[breaker(connection = *circuit)]
async fn siblings(circuit: &Circuit) -> Result<bool, CallError> {
    let (one, other) = futures::join!(waits(circuit), waits(circuit));
    Ok(one.is_ok() && other.is_ok())
}

#[breaker(connection = *circuit)]
async fn waits(circuit: &Circuit) -> Answer {
    tokio::task::yield_now().await;
    Ok(1)
}

#[tokio::test]
async fn siblings_are_not_nested_in_each_other() {
    let circuit = half_open();
    let (one, other) = futures::join!(waits(&circuit), waits(&circuit));
    assert!(one.is_ok() && matches!(other, Err(CallError::Rejected(_))), "one probe, and no nesting");
    let circuit = half_open();
    assert!(siblings(&circuit).await.unwrap(), "both use the permit of the outer probe");
}

#[breaker(connection = *circuit)]
async fn spawns(circuit: &Circuit) -> Answer {
    let own = circuit.clone();
    tokio::spawn(async move { inner(&own, Ok(1)).await }).await.unwrap()
}

#[tokio::test]
async fn a_spawned_task_is_not_nested() {
    assert!(matches!(spawns(&half_open()).await, Err(CallError::Rejected(_))));
}

/// The wrong way: both the function that waits and the blocking function are guarded.
#[breaker(connection = *circuit)]
async fn guarded_twice(circuit: &Circuit) -> Answer {
    let own = circuit.clone();
    tokio::task::spawn_blocking(move || inner_at_once(&own, Ok(1))).await.unwrap()
}

async fn guarded_inside(circuit: &Circuit) -> Answer {
    let own = circuit.clone();
    tokio::task::spawn_blocking(move || inner_at_once(&own, Ok(1))).await.unwrap()
}

#[breaker(connection = *circuit)]
async fn guarded_outside(circuit: &Circuit) -> Answer {
    tokio::task::spawn_blocking(|| Ok(1)).await.unwrap()
}

// Documents which of the two functions to guard: a blocking task is not nested, so it cannot use the permit of a probe.
#[tokio::test]
async fn a_blocking_task_on_the_same_connection_is_guarded_once() {
    let circuit = half_open();
    for _ in 0..5 {
        assert!(matches!(guarded_twice(&circuit).await, Err(CallError::Rejected(_))), "by its own probe");
        assert_eq!(circuit.state(), State::HalfOpen);
    }
    assert!(guarded_inside(&circuit).await.is_ok());
    assert_eq!(circuit.state(), State::Closed);
    let circuit = half_open();
    assert!(guarded_outside(&circuit).await.is_ok());
    assert_eq!(circuit.state(), State::Closed);
}

struct CallsWhenDropped<'c>(&'c Circuit);

impl Drop for CallsWhenDropped<'_> {
    fn drop(&mut self) {
        let answer = inner_at_once(self.0, Err(CallError::Failed));
        assert!(matches!(answer, Err(CallError::Failed)), "it uses the permit of the probe");
    }
}

#[breaker(connection = *circuit)]
async fn with_a_destructor(circuit: &Circuit) -> Answer {
    let _guard = CallsWhenDropped(circuit);
    tokio::task::yield_now().await;
    Ok(1)
}

#[breaker(connection = *circuit)]
fn with_a_destructor_at_once(circuit: &Circuit) -> Answer {
    let _guard = CallsWhenDropped(circuit);
    Ok(1)
}

#[breaker(connection = *circuit)]
fn with_an_argument_that_calls(circuit: &Circuit, guard: CallsWhenDropped<'_>) -> Answer {
    let _ = &guard;
    Ok(1)
}

// Fails if an argument or a local variable is dropped outside the call.
#[tokio::test]
async fn a_destructor_is_part_of_its_call() {
    let circuit = half_open();
    assert_eq!(with_a_destructor(&circuit).await.unwrap(), 1);
    assert_eq!(circuit.state(), State::Open, "the failure is the probe's");
    let circuit = half_open();
    assert_eq!(with_a_destructor_at_once(&circuit).unwrap(), 1);
    assert_eq!(circuit.state(), State::Open);
    let circuit = half_open();
    assert_eq!(with_an_argument_that_calls(&circuit, CallsWhenDropped(&circuit)).unwrap(), 1);
    assert_eq!(circuit.state(), State::Open);
    let circuit = half_open();
    {
        let mut dropped = pin!(with_a_destructor(&circuit));
        assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert_eq!(circuit.state(), State::Open, "dropped early, and its destructor reported a failure");
}

#[breaker(connection = *circuit)]
fn pages(circuit: &Circuit, fail_at: u32) -> impl Stream<Item = Answer> {
    stream::iter(0..3).then(move |page| inner(circuit, if page == fail_at { Err(CallError::Failed) } else { Ok(page) }))
}

#[test]
fn a_stream_is_an_outer_call_of_its_calls() {
    let all = |circuit: &Circuit, fail_at| ready(pages(circuit, fail_at).collect::<Vec<_>>());
    let circuit = half_open();
    assert!(all(&circuit, 9).iter().all(Result::is_ok));
    assert_eq!(circuit.state(), State::Closed);
    let circuit = Circuit::new("shop", breaking_at(9));
    for failed in 1..=6 {
        all(&circuit, 1);
        assert_eq!(circuit.snapshot().failed, failed, "the first error decides, and counts once");
    }
}
