//! Law 4: a call is admitted at the first poll of its future, not earlier.

use std::pin::pin;
use std::task::Poll;

use crate::common::{CallError, Outcome, circuit, half_open, has_free_slot, open, permit, poll_once};
use breaker_core::{Evidence, State};

// Fails if the creation of a future admits the call.
#[test]
fn creating_a_future_takes_no_slot() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let created: Vec<_> = (0..10).map(|_| circuit.call_async(async { Outcome::Ok(()) })).collect();
    assert!(has_free_slot(&circuit));
    assert_eq!(circuit.snapshot().rejected, 0);

    // The first future to be polled is the probe, and its answer closes the circuit for the others.
    for future in created {
        assert!(matches!(poll_once(pin!(future)), Poll::Ready(Ok(()))));
    }
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if a guard releases a slot that it never held.
#[test]
fn dropping_an_unpolled_future_releases_no_slot() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let unpolled = circuit.call_async(async { Outcome::Ok(()) });
    let probe = permit(&circuit);
    let before = circuit.snapshot();
    drop(unpolled);
    assert_eq!(circuit.snapshot(), before);
    assert!(circuit.try_acquire().is_err(), "the slot is the probe's");
    probe.settle(Evidence::Answered);
}

// Fails if the creation of a future admits the call.
#[test]
fn the_state_at_the_first_poll_decides() {
    let (circuit, _) = circuit(|config| config.failure_threshold(1));
    let future = circuit.call_async(async { panic!("the body must not run") });
    open(&circuit);
    let result: Poll<Outcome> = poll_once(pin!(future));
    assert!(matches!(result, Poll::Ready(Err(CallError::Rejected(_)))));

    let future = circuit.call_async(async { Outcome::Ok(()) });
    circuit.reset();
    assert!(matches!(poll_once(pin!(future)), Poll::Ready(Ok(()))));
}
