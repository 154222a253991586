//! Abandoned calls: dropped, panicked or leaked at every suspension point and in every state. The slot is released, the
//! counts are exact, and the next caller probes.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;

use crate::common::{
    COOLDOWN, LEASE, Outcome, SECOND, TICK, catch, circuit, fail, half_open, has_free_slot, poll_once, succeed, suspend,
};
use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, Snapshot, State};

/// The number of suspension points of the body.
const POINTS: usize = 5;

/// A body that is pending once at each suspension point and can panic before a given one.
async fn body(panics_before: Option<usize>) -> Outcome {
    for point in 0..=POINTS {
        assert_ne!(Some(point), panics_before, "the body panics");
        if point < POINTS {
            suspend().await;
        }
    }
    Ok(())
}

type Call<'c> = Pin<Box<dyn Future<Output = Outcome> + 'c>>;

fn start(circuit: &Circuit, panics_before: Option<usize>) -> Call<'_> {
    Box::pin(circuit.call_async(body(panics_before)))
}

/// Polls a future this many times. The body is suspended after each poll.
fn poll(call: &mut Call<'_>, times: usize) {
    for _ in 0..times {
        assert!(poll_once(call.as_mut()).is_pending());
    }
}

/// The states in which a call can be running.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Closed,
    Streak,
    Probe,
}

const STATES: [Before; 3] = [Before::Closed, Before::Streak, Before::Probe];

fn reach(state: Before) -> (Circuit, ManualClock) {
    let (circuit, clock) = circuit(|config| config.failure_threshold(2).dropped_after(10 * SECOND));
    match state {
        Before::Closed => {}
        Before::Streak => fail(&circuit, 1),
        Before::Probe => half_open(&circuit, &clock),
    }
    (circuit, clock)
}

/// A snapshot without the fields that change with time.
fn counts(circuit: &Circuit) -> Snapshot {
    let mut snapshot = circuit.snapshot();
    (snapshot.last_failure, snapshot.last_answer) = (None, None);
    snapshot
}

fn next_caller_probes(circuit: &Circuit) {
    assert!(has_free_slot(circuit));
    succeed(circuit, 1);
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if `Guard` does not settle a dropped call, or if such a call counts as anything but Unknown.
#[test]
fn a_drop_after_every_suspension_point_in_every_state() {
    for state in STATES {
        for polls in 0..=POINTS {
            let (circuit, _) = reach(state);
            let mut expected = counts(&circuit);
            let mut call = start(&circuit, None);
            poll(&mut call, polls);
            if state == Before::Probe {
                assert_eq!(has_free_slot(&circuit), polls == 0, "in flight from the first poll on");
                expected.rejected += u64::from(polls > 0);
                expected.dropped += u64::from(polls == 0);
            }
            drop(call);
            expected.dropped += u64::from(polls > 0);
            assert_eq!(counts(&circuit), expected, "{state:?}, dropped after {polls} polls");
            if state == Before::Probe {
                next_caller_probes(&circuit);
            }
        }
    }
}

// Fails if `dropped_after` is ignored, or measured from the creation of the future.
#[test]
fn a_late_drop_counts_as_failed() {
    for (age, fails) in [(10 * SECOND, false), (10 * SECOND + TICK, true)] {
        for polls in 1..=POINTS {
            let (circuit, clock) = reach(Before::Closed);
            let mut call = start(&circuit, None);
            clock.advance(COOLDOWN);
            poll(&mut call, polls);
            clock.advance(age);
            drop(call);
            let seen = circuit.snapshot();
            assert_eq!((seen.streak, seen.failed, seen.dropped), (u32::from(fails), u64::from(fails), 1));

            let (circuit, clock) = reach(Before::Probe);
            let mut call = start(&circuit, None);
            poll(&mut call, polls);
            clock.advance(age);
            drop(call);
            assert_eq!(circuit.state(), if fails { State::Open } else { State::HalfOpen });
        }
    }
}

// Fails if a result of an older era is counted.
#[test]
fn a_drop_at_every_point_after_the_state_changed() {
    type Change = fn(&Circuit, &ManualClock);
    let changes: [(&str, Change); 5] = [
        ("tripped", |circuit, _| circuit.trip()),
        ("held", |circuit, _| circuit.hold_open()),
        ("reset", |circuit, _| circuit.reset()),
        ("half-open again", |circuit, clock| {
            circuit.trip();
            clock.advance(COOLDOWN);
        }),
        ("closed again", |circuit, clock| {
            circuit.trip();
            clock.advance(COOLDOWN);
            succeed(circuit, 1);
        }),
    ];
    for state in STATES {
        for (name, change) in changes {
            for polls in 1..=POINTS {
                let (circuit, clock) = reach(state);
                let mut call = start(&circuit, None);
                poll(&mut call, polls);
                change(&circuit, &clock);
                let mut expected = counts(&circuit);
                expected.stale += 1;
                drop(call);
                assert_eq!(counts(&circuit), expected, "{state:?}, {name}, after {polls} polls");
            }
        }
    }
}

// Fails if a panic does not count, counts twice, or keeps the slot.
#[test]
fn a_panic_at_every_point_in_every_state() {
    for state in STATES {
        for point in 0..=POINTS {
            let (circuit, clock) = reach(state);
            let before = counts(&circuit);
            let mut call = start(&circuit, Some(point));
            poll(&mut call, point);
            assert!(catch(|| poll_once(call.as_mut())).is_err());
            let after = counts(&circuit);
            assert_eq!((after.failed, after.dropped), (before.failed + 1, before.dropped));
            assert_eq!(circuit.snapshot().last_failure.unwrap().error, Some("panic"));
            match state {
                Before::Closed => assert_eq!((after.state, after.streak), (State::Closed, 1)),
                Before::Streak | Before::Probe => assert_eq!(after.state, State::Open),
            }
            // Dropping the future after its panic changes no count.
            drop(call);
            assert_eq!(counts(&circuit), after);
            if state == Before::Probe {
                clock.advance(COOLDOWN);
                next_caller_probes(&circuit);
            }
        }
    }
}

// Fails if the lease does not release the slot of a leaked call.
#[test]
fn a_leak_at_every_point() {
    for polls in 0..=POINTS {
        let (circuit, clock) = reach(Before::Probe);
        let mut call = start(&circuit, None);
        poll(&mut call, polls);
        mem::forget(call);
        if polls > 0 {
            assert!(!has_free_slot(&circuit));
            clock.advance(LEASE);
        }
        next_caller_probes(&circuit);
    }
}

// Fails if settling panics or is skipped while the thread unwinds.
#[test]
fn a_drop_inside_a_panic() {
    for state in STATES {
        for polls in 1..=POINTS {
            let (circuit, _) = reach(state);
            let mut expected = counts(&circuit);
            expected.dropped += 1;
            let unwound = catch(|| {
                let mut call = start(&circuit, None);
                poll(&mut call, polls);
                panic!("with a call under way");
            });
            assert!(unwound.is_err());
            assert_eq!(counts(&circuit), expected);
            if state == Before::Probe {
                next_caller_probes(&circuit);
            }
        }
    }
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("in a destructor of the body");
    }
}

// Fails if the frame of a body that is being dropped stays on the stack of running calls.
#[test]
fn a_panicking_destructor_of_the_body() {
    let (circuit, clock) = reach(Before::Probe);
    let mut call = Box::pin(circuit.call_async(async {
        let _bomb = PanicsWhenDropped;
        suspend().await;
        Outcome::Ok(())
    }));
    assert!(poll_once(call.as_mut()).is_pending());
    assert!(catch(|| drop(call)).is_err());
    next_caller_probes(&circuit);

    // The stack is empty: the next call on this thread is not nested, so its answer clears the streak.
    fail(&circuit, 1);
    succeed(&circuit, 1);
    assert_eq!(circuit.snapshot().streak, 0);
    clock.advance(COOLDOWN);
}

// Fails if a body that panics when it is polled after its end counts as a failure of the finished call.
#[test]
fn a_poll_after_the_end_has_no_effect() {
    let (circuit, _) = reach(Before::Closed);
    let mut call = start(&circuit, None);
    poll(&mut call, POINTS);
    assert!(poll_once(call.as_mut()).is_ready());
    let before = counts(&circuit);
    assert!(catch(|| poll_once(call.as_mut())).is_err());
    drop(call);
    assert_eq!(counts(&circuit), before);
}

// Fails if a rejected future asks for admission again. It would make a call that it has reported as rejected.
#[test]
fn a_poll_after_a_rejection_panics() {
    let (circuit, _) = reach(Before::Closed);
    circuit.hold_open();
    let mut call = start(&circuit, None);
    assert!(poll_once(call.as_mut()).is_ready());
    circuit.reset();
    let before = counts(&circuit);
    assert!(catch(|| poll_once(call.as_mut())).is_err());
    drop(call);
    let seen = counts(&circuit);
    assert_eq!(seen, before);
    assert_eq!((seen.rejected, seen.dropped, seen.stale), (1, 0, 0));
}

// The task of a probe is aborted by its runtime.
#[tokio::test]
async fn an_aborted_probe_task_releases_its_slot() {
    let (circuit, _) = reach(Before::Probe);
    let shared = Arc::new(circuit);
    let started = Arc::new(tokio::sync::Notify::new());
    let task = tokio::spawn({
        let (circuit, started) = (shared.clone(), started.clone());
        async move {
            let result: Outcome = circuit
                .call_async(async {
                    started.notify_one();
                    std::future::pending::<()>().await;
                    Ok(())
                })
                .await;
            result
        }
    });
    started.notified().await;
    assert!(!has_free_slot(&shared));
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    next_caller_probes(&shared);
}
