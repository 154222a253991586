//! Law 15: no call waits for the breaker or for another call.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::thread;

use crate::common::{Outcome, block_on, call, circuit, fail, half_open, must_end, open, poll_once};
use breaker_core::{Circuit, Evidence, State};

// Fails if `Call::poll` runs the body under a lock: a hundred calls then never meet.
#[test]
fn a_hundred_calls_are_inside_at_once() {
    must_end(|| {
        let (circuit, _) = circuit(|config| config);
        let all_inside = Arc::new(Barrier::new(100));
        thread::scope(|scope| {
            for _ in 0..100 {
                scope.spawn(|| {
                    let result: Outcome = circuit.call(|| {
                        all_inside.wait();
                        Ok(())
                    });
                    assert!(result.is_ok());
                });
            }
        });
    });
}

// Fails if a lock of the circuit is held during a call.
#[test]
fn everything_works_while_a_call_is_running() {
    fn while_calling(circuit: &Circuit, meanwhile: impl FnOnce()) {
        let result: Outcome = circuit.call(|| {
            // On another thread, so that the call is not nested.
            thread::scope(|scope| {
                let done = scope.spawn(|| {
                    let _ = (circuit.state(), circuit.snapshot(), circuit.try_acquire().is_ok());
                });
                done.join().unwrap();
            });
            meanwhile();
            Ok(())
        });
        assert!(result.is_ok());
    }
    must_end(|| {
        let (circuit, clock) = circuit(|config| config.failure_threshold(2));
        while_calling(&circuit, || fail(&circuit, 1));
        circuit.reset();
        half_open(&circuit, &clock);
        while_calling(&circuit, || {});
        assert_eq!(circuit.state(), State::Closed);
        while_calling(&circuit, || {
            circuit.trip();
            circuit.hold_open();
            circuit.reset();
        });
    });
}

// Fails if a rejected future returns `Pending`.
#[test]
fn a_rejection_needs_one_poll() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    open(&circuit);
    let rejected = |circuit: &Circuit| {
        let future = pin!(circuit.call_async(async { Outcome::Ok(()) }));
        matches!(poll_once(future), Poll::Ready(Err(_)))
    };
    assert!(rejected(&circuit));
    clock.advance(crate::common::COOLDOWN);
    let probe = circuit.try_acquire().unwrap();
    assert!(rejected(&circuit), "it does not wait for the probe");
    probe.settle(Evidence::Answered);
}

// Fails if the breaker awaits something: a call is polled exactly as often as its body.
#[test]
fn the_breaker_adds_no_suspension() {
    let (circuit, _) = circuit(|config| config);
    for suspensions in 0..5 {
        let mut left = suspensions;
        let mut polls = 0;
        let mut future = Box::pin(circuit.call_async(poll_fn(move |cx| {
            if left == 0 {
                return Poll::Ready(Outcome::Ok(()));
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        })));
        let result = block_on(poll_fn(|cx| {
            polls += 1;
            future.as_mut().poll(cx)
        }));
        assert!(result.is_ok());
        assert_eq!(polls, suspensions + 1);
    }
    assert!(call(&circuit, Evidence::Answered));
}
