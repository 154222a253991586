//! Law 5: nested calls on one connection. One remote failure counts once, an answer of the outer call does not clear a
//! handled failure, and a probe never rejects its own inner calls.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::thread;

use breaker_core::{Circuit, Evidence, State, breaker};
use futures::future::join;

use crate::common::{
    COOLDOWN, CallError, LEASE, Outcome, block_on, call, catch, circuit, fail, half_open, permit, poll_once, suspend,
    test_bed,
};

fn three_strikes() -> Circuit {
    circuit(|config| config.failure_threshold(3)).0
}

fn down() -> Outcome {
    Err(CallError::Down)
}

// Fails if an outer failure counts although an inner call has counted it.
#[test]
fn one_remote_failure_counts_once() {
    let circuit = three_strikes();
    let result: Outcome = circuit.call(|| circuit.call(|| -> Outcome { circuit.call(down) }));
    assert!(matches!(result, Err(CallError::Down)));
    assert_eq!(circuit.snapshot().streak, 1);
    let result: Outcome = block_on(circuit.call_async(async {
        circuit
            .call_async(async {
                suspend().await;
                down()
            })
            .await
    }));
    assert!(matches!(result, Err(CallError::Down)));
    assert_eq!(circuit.snapshot().streak, 2);
    assert!(catch(|| circuit.call(|| circuit.call(|| -> Outcome { panic!("inside") }))).is_err());
    assert_eq!(circuit.snapshot().streak, 3 - 3, "the third opened it");
    assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Open, 3));
}

// Fails if an outer answer clears the streak although an inner call has reported a failure.
#[test]
fn an_outer_answer_does_not_clear_a_handled_failure() {
    let circuit = three_strikes();
    for streak in 1..3 {
        let result: Outcome = circuit.call(|| {
            let _handled: Outcome = circuit.call(down);
            Ok(())
        });
        assert!(result.is_ok());
        assert_eq!(circuit.snapshot().streak, streak);
    }
    // A successful retry clears the streak itself.
    let result: Outcome = circuit.call(|| {
        let _handled: Outcome = circuit.call(down);
        circuit.reset();
        circuit.call(|| Ok(()))
    });
    assert!(result.is_ok());
    assert_eq!(circuit.snapshot().streak, 0);
    // Three handled failures in a row open the circuit.
    for failed in 1..=3 {
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, failed - 1));
        let result: Outcome = circuit.call(|| {
            let _handled: Outcome = circuit.call(down);
            Ok(())
        });
        assert!(result.is_ok());
    }
    assert_eq!(circuit.state(), State::Open);
}

// Fails if an outer failure counts although a failure that the outer call handled counts already.
#[test]
fn a_handled_failure_and_an_outer_failure_count_once() {
    let circuit = three_strikes();
    for failed in 1..=3 {
        assert_eq!(circuit.state(), State::Closed);
        let _: Outcome = circuit.call(|| {
            let _handled: Outcome = circuit.call(down);
            down()
        });
        assert_eq!((circuit.snapshot().failed, circuit.snapshot().stale), (failed, 0));
    }
    assert_eq!(circuit.state(), State::Open);
}

// Fails if an inner call asks for a slot of its own.
#[test]
fn a_probe_never_rejects_its_inner_calls() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    half_open(&circuit, &bed.clock);
    let result: Outcome = circuit.call(|| {
        circuit.call(|| -> Outcome { circuit.call(|| Ok(())) })?;
        assert_eq!(circuit.state(), State::HalfOpen, "the outer call decides");
        assert!(thread::scope(|scope| scope.spawn(|| circuit.try_acquire().is_err()).join().unwrap()));
        Ok(())
    });
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(circuit.snapshot().rejected, 1, "the other thread's");

    half_open(&circuit, &bed.clock);
    let result: Outcome = block_on(circuit.call_async(async {
        suspend().await;
        let inner: Outcome = circuit
            .call_async(async {
                suspend().await;
                Ok(())
            })
            .await;
        inner
    }));
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(circuit.state(), State::Closed);
}

#[breaker(connection = circuit, probe = false)]
fn never_a_probe(circuit: &Circuit) -> Outcome {
    Ok(())
}

// Fails if an operation that must not be a probe is rejected inside one, whether or not a slot is free, directly or inside a
// call on another circuit.
#[test]
fn a_probe_admits_an_inner_call_that_must_not_be_one() {
    let bed = test_bed(|config| config.failure_threshold(1).half_open_probes(2));
    let [circuit, other] = ["shop-7", "crm-7"].map(|key| bed.registry.circuit(key));
    half_open(&circuit, &bed.clock);
    let probe = || {
        circuit.call(|| -> Outcome {
            never_a_probe(&circuit)?;
            other.call(|| never_a_probe(&circuit))?;
            assert!(thread::scope(|scope| scope.spawn(|| never_a_probe(&circuit).is_err()).join().unwrap()));
            Ok(())
        })
    };
    assert!(never_a_probe(&circuit).is_err(), "the cooldown is over");
    probe().unwrap();
    assert!(never_a_probe(&circuit).is_err(), "a slot is free");
    probe().unwrap();
    assert_eq!((circuit.state(), circuit.snapshot().rejected), (State::Closed, 4));

    // A call that began before the circuit opened is no probe.
    circuit
        .call(|| -> Outcome {
            half_open(&circuit, &bed.clock);
            assert!(never_a_probe(&circuit).is_err());
            let _probes = [permit(&circuit), permit(&circuit)];
            assert!(never_a_probe(&circuit).is_err());
            assert!(circuit.try_acquire().is_err());
            Ok(())
        })
        .unwrap();
}

// Fails if an inner failure inside a probe waits for the outer call, or is lost.
#[test]
fn an_inner_failure_concludes_the_probe_at_once() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let result: Outcome = circuit.call(|| {
        let _handled: Outcome = circuit.call(down);
        assert_eq!(circuit.state(), State::Open);
        Ok(())
    });
    assert!(result.is_ok());
    assert_eq!(circuit.state(), State::Open, "the outer answer does not close it");
    assert_eq!((circuit.snapshot().failed, circuit.snapshot().stale), (2, 0), "one of them opened it at first");
    assert_eq!(circuit.snapshot().times_opened, 2);
}

// Fails if a probe that has failed still admits its inner calls: the circuit is open, and the remote system was found down.
// An opening by the threshold ends the inner calls of its outer call in the same way.
#[test]
fn a_retry_inside_a_probe_is_rejected_unless_its_attempts_are_unguarded() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    for is_probe in [false, true] {
        if is_probe {
            clock.advance(COOLDOWN);
        }
        let result: Outcome = circuit.call(|| {
            let _handled: Outcome = circuit.call(down);
            circuit.call(|| unreachable!("the circuit is open"))
        });
        assert!(matches!(result, Err(CallError::Rejected(_))), "{result:?}");
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::Open, 0));
    }
    assert_eq!((circuit.snapshot().times_opened, circuit.snapshot().rejected), (2, 2));

    clock.advance(COOLDOWN);
    let result: Outcome = circuit.call(|| {
        let _unguarded_attempt: Outcome = down();
        Ok(())
    });
    assert!(result.is_ok());
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if an inner answer inside a probe settles the probe: the outer failure would then meet a closed circuit.
#[test]
fn an_undecodable_body_of_a_probe_opens_the_circuit_again() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let _: Outcome = circuit.call(|| {
        let answered: Outcome = circuit.call(|| Ok(()));
        assert!(answered.is_ok());
        down()
    });
    assert_eq!(circuit.state(), State::Open);
}

// Fails if an Unknown result of the outer call discards the inner answer.
#[test]
fn an_inner_answer_closes_although_the_probe_is_unknown() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let _: Outcome = circuit.call(|| {
        let answered: Outcome = circuit.call(|| Ok(()));
        assert!(answered.is_ok());
        Err(CallError::Busy)
    });
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn nested_calls_of_a_and_b_and_a_again() {
    let bed = test_bed(|config| config.failure_threshold(3));
    let (a, b) = (bed.registry.circuit("a"), bed.registry.circuit("b"));
    half_open(&a, &bed.clock);
    let result: Outcome = a.call(|| b.call(|| a.call(|| Ok(()))));
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(a.state(), State::Closed);

    for streak in [1, 2, 0] {
        assert_eq!((a.state(), b.state()), (State::Closed, State::Closed));
        let _: Outcome = a.call(|| b.call(|| a.call(down)));
        assert_eq!((a.snapshot().streak, b.snapshot().streak), (streak, streak), "each circuit counts it once");
    }
    assert_eq!((a.state(), b.state()), (State::Open, State::Open), "each circuit opens at the threshold");
    // What the answer of `a` inside `b` had cleared comes back with the failure of the outer `a`.
    a.reset();
    b.reset();
    for streak in [1, 2, 0] {
        let _: Outcome = a.call(|| {
            let inner: Outcome = b.call(|| a.call(|| Ok(())));
            inner.and_then(|()| down())
        });
        assert_eq!((a.snapshot().streak, b.snapshot().streak), (streak, 0));
    }
    assert_eq!((a.state(), b.state()), (State::Open, State::Closed));
}

// Fails if a frame stays on the stack while its future is not being polled.
#[test]
fn siblings_of_one_join_are_not_nested() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(2));
    let failing = || {
        circuit.call_async(async {
            suspend().await;
            down()
        })
    };
    let _ = block_on(join(failing(), failing()));
    assert_eq!(circuit.state(), State::Open, "two failures, each on its own");

    clock.advance(COOLDOWN);
    let slow = || {
        circuit.call_async(async {
            suspend().await;
            suspend().await;
            Outcome::Ok(())
        })
    };
    let (first, second) = block_on(join(slow(), slow()));
    assert!(first.is_ok() && matches!(second, Err(CallError::Rejected(_))), "one of them is the probe");
}

// Fails if nesting is detected by anything other than the stack of the running thread.
#[test]
fn a_spawned_task_is_not_nested() {
    let circuit = three_strikes();
    let _: Outcome = circuit.call(|| {
        let other = circuit.clone();
        let spawned = thread::spawn(move || call(&other, Evidence::Failed)).join();
        assert!(matches!(spawned, Ok(true)));
        down()
    });
    assert_eq!(circuit.snapshot().streak, 2);
}

// Fails if what inner calls reported stays on the thread after a call that succeeded: the next call is then taken for one with
// inner calls, and its success clears nothing.
#[test]
fn reports_of_inner_calls_end_with_their_outer_call() {
    let circuit = three_strikes();
    for round in 1..=4 {
        let outer: Outcome = circuit.call(|| {
            assert!(call(&circuit, Evidence::Unknown));
            Ok(())
        });
        assert!(outer.is_ok());
        let other = circuit.clone();
        thread::spawn(move || assert!((0..2).all(|_| call(&other, Evidence::Failed)))).join().unwrap();
        assert_eq!(circuit.snapshot().streak, 2, "round {round}");
        assert!(call(&circuit, Evidence::Answered));
        assert_eq!(circuit.snapshot().streak, 0, "round {round}: an unrelated success");
    }
}

// Fails if reports from before a suspension are stored on the thread instead of in the call.
#[test]
fn a_future_that_changes_threads_between_polls() {
    let circuit = three_strikes();
    for failed in 1..=3 {
        assert_eq!(circuit.state(), State::Closed, "before call {failed}");
        handles_a_failure_on_several_threads(&circuit);
        assert_eq!(circuit.snapshot().failed, failed, "handled on one thread, answered on another, and still counted");
    }
    assert_eq!(circuit.state(), State::Open);
}

fn handles_a_failure_on_several_threads(circuit: &Circuit) {
    let shared = circuit.clone();
    let mut task: Pin<Box<dyn Future<Output = Outcome> + Send>> = Box::pin(async move {
        let outer = shared.call_async(async {
            let _handled: Outcome = shared
                .call_async(async {
                    suspend().await;
                    down()
                })
                .await;
            suspend().await;
            suspend().await;
            Ok(())
        });
        outer.await
    });
    let result = loop {
        let (again, poll) = thread::spawn(move || {
            let mut task = task;
            let poll = poll_once(Pin::new(&mut task));
            (task, poll)
        })
        .join()
        .unwrap();
        task = again;
        if let Poll::Ready(result) = poll {
            break result;
        }
    };
    assert!(result.is_ok());
}

struct CallsWhenDropped<'c>(&'c Circuit, Evidence);

impl Drop for CallsWhenDropped<'_> {
    fn drop(&mut self) {
        assert!(call(self.0, self.1), "rejected in a destructor");
    }
}

// Fails if the body is dropped outside the frame of its call: its destructor then asks for a second slot.
#[test]
fn a_destructor_is_part_of_its_call() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(3));
    half_open(&circuit, &clock);
    {
        let mut probe = pin!(circuit.call_async(async {
            let _on_drop = CallsWhenDropped(&circuit, Evidence::Answered);
            suspend().await;
            Outcome::Ok(())
        }));
        assert!(poll_once(probe.as_mut()).is_pending());
    }
    assert_eq!(circuit.state(), State::Closed, "the destructor's answer is the probe's");

    // The destructor fails, or it is answered: the panic counts once, and the answer does not clear the streak.
    for evidence in [Evidence::Failed, Evidence::Answered] {
        circuit.reset();
        for streak in [1, 2, 0] {
            assert_eq!(circuit.state(), State::Closed);
            let result = catch(|| {
                circuit.call(|| -> Outcome {
                    let _on_drop = CallsWhenDropped(&circuit, evidence);
                    panic!("a panic that unwinds through a call");
                })
            });
            assert!(result.is_err());
            assert_eq!(circuit.snapshot().streak, streak, "{evidence:?}");
        }
        assert_eq!(circuit.state(), State::Open);
    }
}

// Fails if inner calls of an overtaken probe are admitted without a slot.
#[test]
fn an_inner_call_of_an_overtaken_probe_is_rejected() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let result: Outcome = circuit.call(|| {
        clock.advance(LEASE);
        let _overtakes = thread::scope(|scope| scope.spawn(|| permit(&circuit)).join().unwrap());
        let inner: Outcome = circuit.call(|| unreachable!("another call probes"));
        assert!(matches!(inner, Err(CallError::Rejected(_))));
        Ok(())
    });
    assert!(result.is_ok());
    assert_eq!(circuit.state(), State::HalfOpen);
    assert_eq!(circuit.snapshot().stale, 1, "the overtaken probe");
}

// Fails if only the innermost outer call is searched for a probe, because a stale call can be between them.
#[test]
fn a_probe_admits_an_inner_call_through_a_stale_call() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    let mut old = Box::pin(circuit.call_async(async {
        suspend().await;
        assert!(call(&circuit, Evidence::Answered), "rejected inside the probe");
        Outcome::Ok(())
    }));
    assert!(poll_once(old.as_mut()).is_pending());
    half_open(&circuit, &clock);
    let probe: Outcome = circuit.call(|| {
        assert!(poll_once(old.as_mut()).is_ready());
        Ok(())
    });
    assert!(probe.is_ok());
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if a stale inner result is reported to the outer call: the probe would keep its slot until the lease ends.
#[test]
fn a_stale_call_that_ends_inside_a_probe_has_no_effect_on_it() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    let mut old = Box::pin(circuit.call_async(async {
        suspend().await;
        down()
    }));
    assert!(poll_once(old.as_mut()).is_pending());
    half_open(&circuit, &clock);
    let probe: Outcome = circuit.call(|| {
        assert!(poll_once(old.as_mut()).is_ready());
        Ok(())
    });
    assert!(probe.is_ok());
    assert_eq!((circuit.state(), circuit.snapshot().stale), (State::Closed, 1));
    fail(&circuit, 1);
}
