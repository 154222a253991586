//! Law 5: calls that run on the stack of another call without being a part of it, and callers that share a future.

use std::rc::Rc;

use breaker_core::{Circuit, Evidence, State, unnested, unnested_async};
use futures::FutureExt as _;
use futures::future::join3;
use tokio::task::{LocalSet, yield_now};

use crate::common::{COOLDOWN, CallError, Outcome, block_on, call, catch, circuit, half_open, poll_once, suspend};

/// A worker that waits inside a guarded call and runs the next task on the same stack, as in a work-stealing pool.
fn works(circuit: &Circuit, tasks: u32, run: &dyn Fn(&dyn Fn() -> bool) -> bool) -> bool {
    let task = || {
        let result: Outcome = circuit.call(|| {
            if tasks > 1 {
                works(circuit, tasks - 1, run);
            }
            Err(CallError::Down)
        });
        matches!(result, Err(CallError::Down))
    };
    run(&task)
}

// Fails if `unnested` does not hide every outer call.
#[test]
fn tasks_on_the_stack_of_a_waiting_worker() {
    let (circuit, _clock) = circuit(|config| config.failure_threshold(100));
    works(&circuit, 10, &|task| task());
    assert_eq!(circuit.snapshot().streak, 1, "calls on one stack are nested");
    circuit.reset();
    works(&circuit, 10, &|task| unnested(task));
    assert_eq!(circuit.snapshot().streak, 10, "ten tasks failed");
}

#[test]
fn an_unnested_call_does_not_use_the_permit_of_a_probe() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let result: Outcome = circuit.call(|| {
        assert!(!unnested(|| call(&circuit, Evidence::Failed)), "rejected, because a probe is under way");
        let inner: Outcome = block_on(unnested_async(circuit.call_async(async { Ok(()) })));
        assert!(matches!(inner, Err(CallError::Rejected(_))));
        assert!(call(&circuit, Evidence::Answered), "the probe's own inner calls are nested again");
        Ok(())
    });
    assert!(result.is_ok());
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if the outer calls are not found again afterwards, also after a panic.
#[test]
fn what_was_hidden_is_visible_again() {
    let (circuit, _clock) = circuit(|config| config.failure_threshold(100));
    for streak in 1..=3 {
        let result: Outcome = circuit.call(|| {
            circuit.call(|| -> Outcome {
                assert!(catch(|| unnested(|| panic!("a task"))).is_err());
                unnested(|| unnested(|| ()));
                circuit.call(|| Err(CallError::Down))
            })
        });
        assert!(result.is_err());
        assert_eq!(circuit.snapshot().streak, streak, "three layers and one failure");
    }
    // Outside of every call it has no effect.
    assert!(unnested(|| call(&circuit, Evidence::Answered)));
    assert_eq!(circuit.snapshot().streak, 0);
}

struct FailsWhenDropped(Circuit);

impl Drop for FailsWhenDropped {
    fn drop(&mut self) {
        assert!(call(&self.0, Evidence::Failed));
    }
}

// Fails if an unnested future is dropped as a part of the call that drops it.
#[test]
fn an_unnested_future_is_dropped_outside_too() {
    let (circuit, _clock) = circuit(|config| config.failure_threshold(100));
    let mut task = Box::pin(unnested_async(async {
        let _fails = FailsWhenDropped(circuit.clone());
        suspend().await;
    }));
    assert!(poll_once(task.as_mut()).is_pending());
    let result: Outcome = circuit.call(|| {
        drop(task);
        Err(CallError::Down)
    });
    assert!(result.is_err());
    assert_eq!(circuit.snapshot().streak, 2, "the task and the call");
}

// Fails if a task of a local executor that a guarded call blocks on is taken for a part of the call.
#[test]
fn tasks_of_a_local_executor_inside_a_call() {
    let failed = |spawn_unnested: bool| {
        let (circuit, _clock) = circuit(|config| config.failure_threshold(100));
        let circuit = Rc::new(circuit);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let tasks = LocalSet::new();
        let shared = circuit.clone();
        let task = async move {
            let failed: Outcome = shared.call_async(async { Err(CallError::Down) }).await;
            assert!(failed.is_err());
        };
        if spawn_unnested {
            tasks.spawn_local(unnested_async(task));
        } else {
            tasks.spawn_local(task);
        }
        let result: Outcome = circuit.call(|| {
            tasks.block_on(&runtime, async {
                yield_now().await;
                Err(CallError::Down)
            })
        });
        assert!(result.is_err());
        circuit.snapshot().failed
    };
    assert_eq!(failed(false), 1, "the task is polled on the stack of the call");
    assert_eq!(failed(true), 2);
}

// One download that three callers wait for. Each guarded caller judges its own result, so the call to guard is the download.
#[test]
fn one_future_shared_by_several_callers() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(100));
    let download = || async {
        suspend().await;
        Err::<(), _>(Rc::new(CallError::Down))
    };
    let answer = || async {
        suspend().await;
        Outcome::Ok(())
    };
    // Around each caller: one remote failure counts three times.
    let shared = download().shared();
    let caller = || {
        let shared = shared.clone();
        circuit.call_async(async move { shared.await.map_err(|_| CallError::Down) })
    };
    drop(block_on(join3(caller(), caller(), caller())));
    assert_eq!(circuit.snapshot().failed, 3);
    // Around the download: once.
    circuit.reset();
    let shared = circuit.call_async(download().map(|result| result.map_err(|_| CallError::Down))).map(Rc::new).shared();
    let caller = || {
        let shared = shared.clone();
        async move { shared.await.is_err() }
    };
    assert_eq!(block_on(join3(caller(), caller(), caller())), (true, true, true));
    assert_eq!((circuit.snapshot().failed, circuit.snapshot().streak), (3 + 1, 1));
    // As a probe, the shared call serves all callers.
    circuit.trip();
    clock.advance(COOLDOWN);
    let shared = circuit.call_async(answer()).map(Rc::new).shared();
    let caller = || {
        let shared = shared.clone();
        async move { shared.await.is_ok() }
    };
    assert_eq!(block_on(join3(caller(), caller(), caller())), (true, true, true), "all wait for the probe");
    assert_eq!(circuit.state(), State::Closed);
}
