//! Model checking of the circuit with loom, under every interleaving of a few threads: see `scripts/loom.sh`.
//!
//! The tested code is the code that ships; only its atomics, locks and thread locals are replaced by those of loom.
//! Time is a manual clock that is moved before the threads start, so the threads race within one moment.

use std::time::Duration;

use loom::sync::{Arc, Mutex};
use loom::thread;

use crate::circuit::CircuitContext;
use crate::fleet::{Change, CircuitReport, Fleet, FleetState, Link, StateUpdate};
use crate::testing::ManualClock;
use crate::{
    Circuit, CircuitOpen, Config, ConfigBuilder, Event, Evidence, Permit, ProvesReachable, RejectionReason, State,
};

const COOLDOWN: Duration = Duration::from_secs(90);
const LEASE: Duration = Duration::from_secs(30);

/// Explores all interleavings with at most this many preemptions. The authors of loom recommend two or three.
fn model(preemptions: usize, threads: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(threads);
}

fn circuit(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> (Circuit, ManualClock) {
    let (clock, config) = (ManualClock::new(), Config::builder().cooldown(COOLDOWN).failure_threshold(1));
    (Circuit::with_clock("shop-7", settings(config).build().unwrap(), clock.clone()), clock)
}

fn half_open(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> (Circuit, ManualClock) {
    let (circuit, clock) = circuit(settings);
    circuit.trip();
    clock.advance(COOLDOWN);
    (circuit, clock)
}

fn permit(circuit: &Circuit) -> Permit {
    circuit.try_acquire().unwrap_or_else(|open| panic!("{open}"))
}

/// Runs an action on the circuit on a thread of its own.
fn spawn<T: 'static>(circuit: &Circuit, run: impl FnOnce(&Circuit) -> T + 'static) -> thread::JoinHandle<T> {
    let circuit = circuit.clone();
    thread::spawn(move || run(&circuit))
}

#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("not found")]
    NotFound,
    #[error("down")]
    Down,
    #[error("rejected")]
    Rejected(#[from] CircuitOpen),
}

impl ProvesReachable for CallError {
    fn evidence(&self) -> Evidence {
        match self {
            Self::NotFound => Evidence::Answered,
            Self::Down => Evidence::Failed,
            Self::Rejected(_) => Evidence::Unknown,
        }
    }
}

#[test]
fn the_circuit_opens_once_and_every_failure_counts() {
    for threshold in [1, 2, 3] {
        model(3, move || {
            let (circuit, _) = circuit(|config| config.failure_threshold(threshold));
            let calls = [permit(&circuit), permit(&circuit)];
            let last = permit(&circuit);
            let threads = calls.map(|call| thread::spawn(move || call.settle(Evidence::Failed)));
            last.settle(Evidence::Failed);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let seen = circuit.snapshot();
            assert_eq!((seen.state, seen.times_opened), (State::Open, 1));
            assert_eq!((seen.failed, seen.stale), (u64::from(threshold), u64::from(3 - threshold)));
        });
    }
}

#[test]
fn one_of_racing_callers_is_the_probe() {
    model(3, || {
        let (circuit, _) = half_open(|config| config);
        let threads = [(); 2].map(|()| spawn(&circuit, Circuit::try_acquire));
        let mine = circuit.try_acquire();
        let theirs = threads.map(|thread| thread.join().unwrap());
        assert_eq!(usize::from(mine.is_ok()) + theirs.iter().filter(|permit| permit.is_ok()).count(), 1);
    });
}

#[test]
fn two_probes_are_admitted_and_no_third() {
    model(2, || {
        let (circuit, _) = half_open(|config| config.half_open_probes(2));
        let threads = [(); 2].map(|()| spawn(&circuit, Circuit::try_acquire));
        let mine = circuit.try_acquire();
        let theirs = threads.map(|thread| thread.join().unwrap());
        assert_eq!(usize::from(mine.is_ok()) + theirs.iter().filter(|permit| permit.is_ok()).count(), 2);
        let admitted = theirs.into_iter().chain([mine]).flatten();
        admitted.for_each(|permit| permit.settle(Evidence::Answered));
        assert_eq!(circuit.state(), State::Closed);
    });
}

#[test]
fn a_stale_verdict_is_refused_in_the_closed_state() {
    for evidence in [Evidence::Answered, Evidence::Failed, Evidence::Unknown] {
        model(3, move || {
            let (circuit, clock) = circuit(|config| config.failure_threshold(2));
            let old = permit(&circuit);
            circuit.trip();
            clock.advance(COOLDOWN);
            permit(&circuit).settle(Evidence::Answered);
            let thread = thread::spawn(move || old.settle(evidence));
            permit(&circuit).settle(Evidence::Failed);
            thread.join().unwrap();
            let seen = circuit.snapshot();
            assert_eq!((seen.state, seen.streak, seen.stale), (State::Closed, 1, 1));
        });
    }
}

#[test]
fn a_stale_verdict_is_refused_in_the_half_open_state() {
    for evidence in [Evidence::Answered, Evidence::Failed, Evidence::Unknown] {
        model(3, move || {
            let (circuit, clock) = circuit(|config| config);
            let old = permit(&circuit);
            circuit.trip();
            clock.advance(COOLDOWN);
            let thread = thread::spawn(move || old.settle(evidence));
            let probe = permit(&circuit);
            thread.join().unwrap();
            assert!(circuit.try_acquire().is_err(), "the slot is the probe's");
            assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
            drop(probe);
        });
    }
}

#[test]
fn a_stale_verdict_is_refused_while_the_circuit_opens() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        let old = permit(&circuit);
        let thread = thread::spawn(move || old.settle(Evidence::Answered));
        circuit.trip();
        thread.join().unwrap();
        assert_eq!(circuit.state(), State::Open);
    });
}

#[test]
fn a_release_against_an_acquisition() {
    model(3, || {
        let (circuit, _) = half_open(|config| config);
        let probe = permit(&circuit);
        let thread = thread::spawn(move || drop(probe));
        let second = circuit.try_acquire();
        thread.join().unwrap();
        assert_eq!(circuit.state(), State::HalfOpen);
        assert_eq!(circuit.try_acquire().is_ok(), second.is_err(), "one slot, no more and no less");
    });
}

#[test]
fn the_end_of_a_lease_against_the_verdict() {
    for evidence in [Evidence::Answered, Evidence::Failed, Evidence::Unknown] {
        model(3, move || {
            let (circuit, clock) = half_open(|config| config);
            let late = permit(&circuit);
            clock.advance(LEASE);
            let thread = thread::spawn(move || late.settle(evidence));
            let second = circuit.try_acquire();
            thread.join().unwrap();
            let seen = circuit.snapshot();
            match (second, seen.stale) {
                // The verdict came first, and calls after it were admitted or rejected by it.
                (Ok(second), 0) => {
                    assert_ne!(evidence, Evidence::Failed);
                    let closed = evidence == Evidence::Answered;
                    assert_eq!(seen.state, if closed { State::Closed } else { State::HalfOpen });
                    drop(second);
                }
                (Err(_), 0) => assert_eq!((evidence, seen.state), (Evidence::Failed, State::Open)),
                // The probe was overtaken, so its verdict was ignored, and the slot belongs to the second probe.
                (Ok(second), 1) => {
                    assert_eq!(seen.state, State::HalfOpen);
                    assert!(circuit.try_acquire().is_err());
                    second.settle(Evidence::Answered);
                    assert_eq!(circuit.state(), State::Closed);
                }
                (second, stale) => panic!("{second:?} and {stale} stale"),
            }
        });
    }
}

#[test]
fn a_reset_against_failures_from_before() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        let old = [permit(&circuit), permit(&circuit)];
        let threads = old.map(|call| thread::spawn(move || call.settle(Evidence::Failed)));
        circuit.reset();
        assert_eq!(circuit.state(), State::Closed, "at once");
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let seen = circuit.snapshot();
        assert_eq!((seen.state, seen.streak), (State::Closed, 0));
    });
}

#[test]
fn a_reset_against_a_probe() {
    for evidence in [Evidence::Answered, Evidence::Failed, Evidence::Unknown] {
        model(3, move || {
            let (circuit, _) = half_open(|config| config);
            let probe = permit(&circuit);
            let threads = [
                thread::spawn(move || probe.settle(evidence)),
                spawn(&circuit, |circuit| {
                    drop(circuit.try_acquire());
                }),
            ];
            circuit.reset();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let seen = circuit.snapshot();
            assert_eq!((seen.state, seen.streak), (State::Closed, 0));
        });
    }
}

#[test]
fn a_reset_against_a_trip() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        let thread = spawn(&circuit, Circuit::trip);
        circuit.reset();
        thread.join().unwrap();
        // Either may come last, but the word that readers see matches the machine behind the lock. A dropped permit
        // publishes the word again, so the word is read first.
        assert_eq!(circuit.snapshot().state, circuit.state());
        assert_eq!(circuit.try_acquire().is_ok(), circuit.state() == State::Closed);
    });
}

/// Runs admission, the call and the verdict as one step sequence that interleaves with the other threads.
/// Fails if the end of a hold is published where a reader of the earlier word looks for the end of the cooldown.
#[test]
fn a_rejection_against_a_hold() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        circuit.trip();
        let thread = spawn(&circuit, Circuit::hold_open);
        let open = circuit.try_acquire().expect_err("the circuit is open");
        let expected = match open.reason() {
            RejectionReason::InCooldown => Some(COOLDOWN),
            reason => {
                assert_eq!(reason, RejectionReason::HeldOpen);
                None
            }
        };
        assert_eq!(open.retry_after(), expected);
        thread.join().unwrap();
    });
}

/// Fails if a reader combines the word of an open circuit with the end of the lease of the probe that came after it.
#[test]
fn a_rejection_against_the_first_probe() {
    model(3, || {
        let (circuit, _) = half_open(|config| config);
        let thread = spawn(&circuit, Circuit::try_acquire);
        let mine = circuit.try_acquire();
        let theirs = thread.join().unwrap();
        let open = [mine, theirs].into_iter().find_map(Result::err).expect("one of them is the probe");
        assert_eq!((open.reason(), open.retry_after()), (RejectionReason::ProbeInFlight, None));
    });
}

/// Fails if a reader combines the word of a full circuit, whose lease is over, with the end of the cooldown that came after
/// it.
#[test]
fn a_rejection_against_the_late_failure_of_a_probe() {
    model(3, || {
        let (circuit, clock) = half_open(|config| config);
        let late = permit(&circuit);
        clock.advance(LEASE);
        let thread = thread::spawn(move || late.settle(Evidence::Failed));
        let second = circuit.try_acquire();
        thread.join().unwrap();
        if let Err(open) = second {
            assert_eq!((open.reason(), open.retry_after()), (RejectionReason::InCooldown, Some(COOLDOWN)));
        }
    });
}

#[test]
fn complete_calls_that_fail_together() {
    model(2, || {
        let (circuit, _) = circuit(|config| config.failure_threshold(2));
        let whole_call = |circuit: &Circuit| {
            loom::future::block_on(circuit.call_async(async {
                thread::yield_now();
                Err::<(), _>(CallError::Down)
            }))
        };
        let threads = [(); 2].map(|()| spawn(&circuit, whole_call));
        let started = threads.map(|thread| thread.join().unwrap());
        assert!(started.iter().all(|result| matches!(result, Err(CallError::Down))));
        let seen = circuit.snapshot();
        assert_eq!((seen.state, seen.times_opened, seen.failed, seen.stale), (State::Open, 1, 2, 0));
    });
}

#[test]
fn complete_calls_at_the_end_of_a_cooldown() {
    model(2, || {
        let (circuit, _) = half_open(|config| config);
        let whole_call = |circuit: &Circuit| {
            let state = |result: Result<State, CallError>| result.ok();
            state(circuit.call(|| {
                let seen = circuit.state();
                thread::yield_now();
                Ok(seen)
            }))
        };
        let thread = spawn(&circuit, whole_call);
        let mine = whole_call(&circuit);
        let theirs = thread.join().unwrap();
        let probes = [mine, theirs].iter().filter(|seen| **seen == Some(State::HalfOpen)).count();
        assert_eq!(probes, 1, "{mine:?} and {theirs:?}");
        assert_eq!(circuit.state(), State::Closed);
    });
}

#[test]
fn a_complete_call_against_a_reset_and_a_trip() {
    model(2, || {
        let (circuit, _) = circuit(|config| config.failure_threshold(2));
        let threads = [
            spawn(&circuit, |circuit| {
                let _ = circuit.call(|| {
                    thread::yield_now();
                    Err::<(), _>(CallError::Down)
                });
            }),
            spawn(&circuit, Circuit::trip),
        ];
        circuit.reset();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let seen = circuit.snapshot();
        assert!(seen.failed + seen.stale + seen.rejected == 1, "each call ends once: {seen:?}");
        assert!(seen.streak <= 1 && seen.state != State::HalfOpen);
    });
}

/// A success without a lock, against the failure that it clears.
#[test]
fn a_plain_success_against_a_failure() {
    model(3, || {
        let (circuit, _) = circuit(|config| config.failure_threshold(2));
        let (failing, answered) = (permit(&circuit), permit(&circuit));
        let thread = thread::spawn(move || failing.settle(Evidence::Failed));
        answered.settle(Evidence::Answered);
        thread.join().unwrap();
        let seen = circuit.snapshot();
        assert_eq!((seen.state, seen.stale), (State::Closed, 0));
        assert_eq!(u64::from(seen.streak) + seen.failures_cleared_by_answers, 1);
    });
}

/// Makes a call that ends with an error which is marked as an answer.
fn find_nothing(circuit: &Circuit) {
    let _: Result<(), CallError> = circuit.call(|| Err(CallError::NotFound));
}

#[test]
fn no_marked_answer_of_two_threads_is_lost() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        let thread = spawn(&circuit, find_nothing);
        find_nothing(&circuit);
        thread.join().unwrap();
        let seen = circuit.snapshot();
        assert_eq!((seen.marked_answers, seen.last_answer.is_some()), (2, true));
    });
}

#[test]
fn no_rejection_of_two_threads_is_lost() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        circuit.hold_open();
        let thread = spawn(&circuit, |circuit| circuit.try_acquire().is_err());
        assert!(circuit.try_acquire().is_err());
        assert!(thread.join().unwrap());
        assert_eq!(circuit.snapshot().rejected, 2);
    });
}

#[test]
fn a_failure_beside_a_marked_answer_counts_or_is_cleared() {
    model(3, || {
        let (circuit, _) = circuit(|config| config.failure_threshold(2));
        let thread = spawn(&circuit, |circuit| permit(circuit).settle(Evidence::Failed));
        find_nothing(&circuit);
        thread.join().unwrap();
        let seen = circuit.snapshot();
        assert_eq!(u64::from(seen.streak) + seen.failures_cleared_by_answers, 1);
    });
}

/// Eviction relies on this: a thread that sees that it has the only handle sees everything that was done through the
/// other handles.
#[test]
fn the_last_handle_sees_the_changes_of_the_others() {
    model(3, || {
        let (circuit, _) = circuit(|config| config);
        let now = circuit.inner().now();
        let thread = spawn(&circuit, |circuit| permit(circuit).settle(Evidence::Failed));
        if circuit.is_sole_handle() {
            assert_eq!(circuit.inner().eviction_rank(now), None, "an open circuit would be evicted");
        }
        thread.join().unwrap();
    });
}

#[test]
fn events_come_in_order_and_none_is_lost() {
    model(2, || {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let hook = {
            let seen = seen.clone();
            move |event: &Event| {
                // At a lock, the model checker may run the other thread first.
                seen.lock().unwrap().push((event.from, event.to));
            }
        };
        let hooks: Vec<Box<dyn Fn(&Event) + Send + Sync>> = vec![Box::new(hook)];
        let time = ManualClock::new().into();
        let context = CircuitContext { time, hooks: hooks.into(), ..CircuitContext::default() };
        let now = context.time.now();
        let circuit = Circuit::in_context("shop-7".into(), Config::default(), context.into(), now);
        let thread = spawn(&circuit, Circuit::trip);
        circuit.hold_open();
        circuit.reset();
        thread.join().unwrap();
        let seen = seen.lock().unwrap();
        let mut state = State::Closed;
        for (from, to) in &*seen {
            assert_eq!(*from, state, "{seen:?}");
            state = *to;
        }
        assert_eq!(state, circuit.state(), "{seen:?}");
    });
}

/// Records the reports that it receives.
#[derive(Default)]
struct RecordingFleet(std::sync::Mutex<Vec<CircuitReport>>);

impl Fleet for RecordingFleet {
    fn join(&self, _: Link) -> bool {
        true
    }

    fn publish(&self, report: CircuitReport) {
        self.0.lock().unwrap().push(report);
    }
}

/// A circuit that another process opened, after its cooldown.
fn shared() -> (Circuit, std::sync::Arc<RecordingFleet>) {
    let (clock, fleet) = (ManualClock::new(), std::sync::Arc::new(RecordingFleet::default()));
    let time = clock.clone().into();
    let context = CircuitContext { time, fleet: Some(fleet.clone()), ..CircuitContext::default() };
    let now = context.time.now();
    let config = Config::builder().cooldown(COOLDOWN).failure_threshold(1).build().unwrap();
    let circuit = Circuit::in_context("shop-7".into(), config, context.into(), now);
    circuit.inner().apply_update(StateUpdate {
        era: 10,
        state: FleetState::Open { remaining: COOLDOWN },
        answers: None,
    });
    clock.advance(COOLDOWN);
    (circuit, fleet)
}

#[test]
fn one_call_claims_a_grant_or_it_is_withdrawn() {
    model(3, || {
        let (circuit, fleet) = shared();
        assert!(circuit.try_acquire().is_err());
        assert!(circuit.inner().grant(20, LEASE));
        let caller = spawn(&circuit, Circuit::try_acquire);
        let withdrawn = circuit.inner().withdraw(20);
        let theirs = caller.join().unwrap();
        // If the grant was withdrawn, the call probes at once and claims another. Otherwise it has claimed this one.
        assert!(theirs.is_ok());
        let asked =
            fleet.0.lock().unwrap().iter().filter(|report| matches!(report.change, Change::ProbeWanted { .. })).count();
        assert_eq!(asked, if withdrawn { 2 } else { 1 });
        assert!(circuit.try_acquire().is_err(), "two probes");
    });
}

#[test]
fn a_grant_races_with_callers_and_one_of_them_probes() {
    model(2, || {
        let (circuit, fleet) = shared();
        let callers = [(); 2].map(|()| spawn(&circuit, Circuit::try_acquire));
        let granted = circuit.inner().grant(20, LEASE);
        let theirs = callers.map(|caller| caller.join().unwrap());
        let mine = circuit.try_acquire();
        let admitted = theirs.iter().chain([&mine]).filter(|permit| permit.is_ok()).count();
        assert!(granted && admitted == 1, "{admitted} probes");
        drop((theirs, mine));
        let changes: Vec<_> = fleet.0.lock().unwrap().iter().map(|report| report.change).collect();
        assert_eq!(changes.last(), Some(&Change::ProbeDropped));
    });
}

#[test]
fn a_remote_verdict_races_with_a_local_one() {
    model(3, || {
        let (circuit, fleet) = shared();
        circuit.inner().apply_update(StateUpdate {
            era: 20,
            state: FleetState::Closed { failures: false },
            answers: None,
        });
        let call = permit(&circuit);
        let thread = thread::spawn(move || call.settle(Evidence::Failed));
        circuit.inner().apply_update(StateUpdate {
            era: 30,
            state: FleetState::Closed { failures: false },
            answers: None,
        });
        thread.join().unwrap();
        let seen = circuit.snapshot();
        let reports = fleet.0.lock().unwrap();
        // Either the call belongs to an older era, or it opened the circuit and reported the era of the fleet on which
        // that was based.
        match seen.state {
            State::Closed => assert_eq!((seen.stale, reports.len()), (1, 0)),
            State::Open => assert_eq!((seen.stale, reports[0].era), (0, Some(20))),
            State::HalfOpen => panic!("half-open"),
        }
    });
}

#[test]
fn reports_are_published_in_order_and_none_is_lost() {
    model(2, || {
        let (circuit, fleet) = shared();
        let thread = spawn(&circuit, Circuit::trip);
        circuit.hold_open();
        circuit.reset();
        thread.join().unwrap();
        let stamps: Vec<_> = fleet.0.lock().unwrap().iter().map(|report| report.stamp.unwrap()).collect();
        assert!(stamps.is_sorted(), "{stamps:?}");
        assert!(stamps.len() == 3 || stamps.len() == 2, "a trip while held is none: {stamps:?}");
    });
}
