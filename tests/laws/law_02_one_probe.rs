//! Law 2: exactly `half_open_probes` bodies start at the end of a cooldown, however many callers arrive.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::common::{CallError, Outcome, circuit, half_open, permit};
use breaker_core::{Evidence, RejectionReason, State};

const CALLERS: u32 = 24;
const ROUNDS: u32 = 40;

// Fails if a slot is granted with `<=` instead of `<`, or if the slot of the first probe is not counted.
#[test]
fn many_callers_at_the_end_of_the_cooldown() {
    for probes in [1, 2, 3] {
        let (circuit, clock) = circuit(|config| config.failure_threshold(1).half_open_probes(probes));
        for round in 0..ROUNDS {
            half_open(&circuit, &clock);
            let (started, rejected) = (AtomicU32::new(0), AtomicU32::new(0));
            let at_once = Barrier::new(CALLERS as usize);
            thread::scope(|scope| {
                for _ in 0..CALLERS {
                    scope.spawn(|| {
                        at_once.wait();
                        let result: Outcome = circuit.call(|| {
                            started.fetch_add(1, Ordering::SeqCst);
                            // The body runs until all callers have tried.
                            while started.load(Ordering::SeqCst) + rejected.load(Ordering::SeqCst) < CALLERS {
                                thread::yield_now();
                            }
                            Ok(())
                        });
                        if let Err(CallError::Rejected(open)) = result {
                            assert_eq!(open.reason(), RejectionReason::ProbeInFlight);
                            rejected.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                }
            });
            assert_eq!(started.into_inner(), probes, "bodies started in round {round}");
            assert_eq!(circuit.state(), State::Closed);
        }
    }
}

// Fails if a success releases its slot: a third body then starts for two probes.
#[test]
fn a_success_keeps_its_slot_used() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1).half_open_probes(2));
    half_open(&circuit, &clock);
    let slow = permit(&circuit);
    permit(&circuit).settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::HalfOpen);
    assert!(circuit.try_acquire().is_err());
    slow.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if every call that finds the cooldown over is admitted.
#[test]
fn all_others_are_rejected_at_once() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let probe = permit(&circuit);
    for _ in 0..100 {
        assert_eq!(circuit.try_acquire().unwrap_err().reason(), RejectionReason::ProbeInFlight);
    }
    assert_eq!(circuit.snapshot().rejected, 100);
    drop(probe);
}
