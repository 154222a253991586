//! Many concurrent calls on a runtime with several threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{COOLDOWN, CallError, Outcome, SECOND, call, changes, config, fail, has_free_slot, open, test_bed};
use breaker_core::{Circuit, Evidence, Reason, RejectionReason, State};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const CALLERS: usize = 1_000;
const ROUNDS: usize = 200;

// Fails if a slot is granted twice or is never released: in each of 200 rounds, exactly the bodies of the probes start.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_callers_at_the_end_of_a_cooldown() {
    for probes in [1, 3] {
        let bed = test_bed(|config| config.failure_threshold(1).half_open_probes(probes));
        let circuit = bed.registry.circuit("shop-7");
        let per_round = CALLERS;
        for round in 0..ROUNDS / 2 {
            open(&circuit);
            bed.clock.advance(COOLDOWN);
            let started = Arc::new(AtomicU32::new(0));
            let rejected = Arc::new(AtomicU32::new(0));
            let mut callers = JoinSet::new();
            for _ in 0..per_round {
                let (circuit, started, rejected) = (circuit.clone(), started.clone(), rejected.clone());
                callers.spawn(async move {
                    let result: Outcome = circuit
                        .call_async(async {
                            let mine = started.fetch_add(1, Ordering::SeqCst) + 1;
                            // The probes run until all callers have tried. A surplus probe would not wait.
                            while mine <= probes
                                && (started.load(Ordering::SeqCst) + rejected.load(Ordering::SeqCst)) as usize
                                    != CALLERS
                            {
                                tokio::task::yield_now().await;
                            }
                            Ok(())
                        })
                        .await;
                    if let Err(CallError::Rejected(open)) = result {
                        assert_eq!(open.reason(), RejectionReason::ProbeInFlight);
                        rejected.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            callers.join_all().await;
            assert_eq!(started.load(Ordering::SeqCst), probes, "bodies started in round {round}");
            assert_eq!(circuit.state(), State::Closed);
        }
    }
}

// Fails if threads that count at the same moment lose a count, if a snapshot leaves out what threads count apart from
// each other, or if a new circuit begins with what was counted for an old one.
#[test]
fn every_result_of_many_threads_is_counted_once() {
    const THREADS: u32 = 4;
    const CALLS: u32 = 2_000;
    let bed = test_bed(|config| config.failure_threshold(u32::MAX));
    for _ in 0..20 {
        let circuit = bed.registry.circuit("shop-7");
        let on_all_threads = |call: fn(&Circuit)| {
            thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| (0..CALLS).for_each(|_| call(&circuit)));
                }
            });
        };
        on_all_threads(|circuit| {
            let _: Outcome = circuit.call(|| Err(CallError::NotFound));
        });
        bed.clock.advance(SECOND);
        on_all_threads(|circuit| fail(circuit, 1));
        circuit.hold_open();
        on_all_threads(|circuit| assert!(circuit.try_acquire().is_err()));
        let (seen, all) = (circuit.snapshot(), u64::from(THREADS * CALLS));
        assert_eq!((seen.marked_answers, seen.failed, seen.rejected), (all, all, all));
        let ages = [seen.last_answer, seen.last_failure].map(|last| last.map(|last| last.age));
        assert_eq!(ages, [Some(SECOND), Some(Duration::ZERO)]);
        assert!(bed.registry.remove(&circuit));
    }
}

// Fails if a late failure opens the circuit again or changes its cooldown.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_more_failure_than_the_threshold_at_once() {
    for _ in 0..ROUNDS {
        let bed = test_bed(|config| config.failure_threshold(5));
        let circuit = bed.registry.circuit("shop-7");
        let all_inside = Arc::new(Barrier::new(6));
        let mut callers = JoinSet::new();
        for _ in 0..6 {
            let (circuit, all_inside) = (circuit.clone(), all_inside.clone());
            callers.spawn(async move {
                let _: Outcome = circuit
                    .call_async(async {
                        all_inside.wait().await;
                        Err(CallError::Down)
                    })
                    .await;
            });
        }
        callers.join_all().await;
        assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::Threshold)]);
        assert_eq!(circuit.snapshot().retry_after, Some(COOLDOWN));
        bed.clock.advance(COOLDOWN);
        assert!(has_free_slot(&circuit), "half-open on time");
        assert!(call(&circuit, Evidence::Answered));
    }
}

// Fails if a rejection takes the end of a hold, which never comes, for the end of a cooldown.
#[test]
fn a_rejection_beside_commands_names_its_reason_and_a_time_that_fits() {
    const REJECTIONS: u32 = 400_000;
    let circuit = Circuit::new("shop-7", config(|config| config));
    thread::scope(|scope| {
        let callers = [(); 2].map(|()| {
            scope.spawn(|| {
                for _ in 0..REJECTIONS {
                    let Err(open) = circuit.try_acquire() else { continue };
                    match (open.reason(), open.retry_after()) {
                        (RejectionReason::InCooldown, Some(wait)) => assert!(wait <= COOLDOWN, "{wait:?}"),
                        (RejectionReason::HeldOpen, None) => {}
                        unexpected => panic!("{unexpected:?}"),
                    }
                }
            })
        });
        while !callers.iter().all(thread::ScopedJoinHandle::is_finished) {
            circuit.trip();
            circuit.hold_open();
            circuit.reset();
        }
    });
}

// Fails if calls run one after another. All bodies wait for each other, so the test needs no time measurement.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_concurrent_calls_take_the_time_of_one() {
    let bed = test_bed(|config| config);
    let circuit = bed.registry.circuit("shop-7");
    let all_inside = Arc::new(Barrier::new(100));
    let mut callers = JoinSet::new();
    for _ in 0..100 {
        let (circuit, all_inside) = (circuit.clone(), all_inside.clone());
        callers.spawn(async move {
            let result: Outcome = circuit
                .call_async(async {
                    all_inside.wait().await;
                    Ok(())
                })
                .await;
            assert!(result.is_ok());
        });
    }
    callers.join_all().await;
}
