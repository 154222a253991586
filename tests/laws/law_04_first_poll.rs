//! Law 4: a call is admitted at the first poll of its future, not before.

use std::pin::pin;
use std::task::Poll;

use crate::common::{CallError, Outcome, circuit, half_open, has_free_slot, open, permit, poll_once};
use breaker_core::{Evidence, State};

// Red when `CallAsync::new` admits.
#[test]
fn creating_a_future_takes_nothing() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let created: Vec<_> = (0..10).map(|_| circuit.call_async(async { Outcome::Ok(()) })).collect();
    assert!(has_free_slot(&circuit));
    assert_eq!(circuit.snapshot().rejected, 0);

    // Only the first to be polled is the probe; it closes the circuit for the others.
    for future in created {
        assert!(matches!(poll_once(pin!(future)), Poll::Ready(Ok(()))));
    }
    assert_eq!(circuit.state(), State::Closed);
}

// Red when a guard gives a slot back that it never had.
#[test]
fn dropping_an_unpolled_future_gives_nothing_back() {
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

// Red when `CallAsync::new` admits.
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
