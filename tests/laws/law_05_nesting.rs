//! Law 5: calls inside calls on one connection. One remote failure counts once, a handled one is not washed away, and a
//! probe never rejects itself.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::thread;

use breaker_core::{Circuit, Evidence, State};
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

// Red when an outer failure counts though an inner one was counted.
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

// Red when an outer answer clears the streak though an inner call has reported.
#[test]
fn a_handled_failure_is_not_washed_away() {
    let circuit = three_strikes();
    for streak in 1..3 {
        let result: Outcome = circuit.call(|| {
            let _handled: Outcome = circuit.call(down);
            Ok(())
        });
        assert!(result.is_ok());
        assert_eq!(circuit.snapshot().streak, streak);
    }
    // A retry that succeeds says so itself.
    let result: Outcome = circuit.call(|| {
        let _handled: Outcome = circuit.call(down);
        circuit.reset();
        circuit.call(|| Ok(()))
    });
    assert!(result.is_ok());
    assert_eq!(circuit.snapshot().streak, 0);
}

// Red when an inner answer keeps the outer failure from counting.
#[test]
fn a_body_that_could_not_be_decoded_counts() {
    let circuit = three_strikes();
    let result: Outcome = circuit.call(|| {
        let answered: Outcome = circuit.call(|| Ok(()));
        assert!(answered.is_ok());
        down()
    });
    assert!(result.is_err());
    assert_eq!(circuit.snapshot().streak, 1);
}

#[test]
fn a_failure_then_an_answer_then_an_outer_failure_counts_once_more_at_most() {
    let circuit = three_strikes();
    let _: Outcome = circuit.call(|| {
        let _handled: Outcome = circuit.call(down);
        let _answered: Outcome = circuit.call(|| Ok(()));
        down()
    });
    assert_eq!(circuit.snapshot().failed, 1, "an inner call had failed, so the outer failure adds nothing");
}

// Red when an inner call asks for a slot of its own.
#[test]
fn a_probe_never_rejects_itself() {
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

// Red when an inner failure under a probe waits for the outer call, or is lost.
#[test]
fn under_a_probe_a_failure_is_conclusive_at_once() {
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

// Red when an inner answer under a probe settles at once: the outer failure would then find a closed circuit.
#[test]
fn under_a_probe_an_undecodable_body_opens_the_circuit_again() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    let _: Outcome = circuit.call(|| {
        let answered: Outcome = circuit.call(|| Ok(()));
        assert!(answered.is_ok());
        down()
    });
    assert_eq!(circuit.state(), State::Open);
}

// Red when an outer call that says nothing hides the inner answer.
#[test]
fn under_a_probe_an_inner_answer_closes_though_the_outer_call_says_nothing() {
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
fn a_then_b_then_a() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let (a, b) = (bed.registry.circuit("a"), bed.registry.circuit("b"));
    half_open(&a, &bed.clock);
    let result: Outcome = a.call(|| b.call(|| a.call(|| Ok(()))));
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(a.state(), State::Closed);

    let _: Outcome = a.call(|| b.call(|| a.call(down)));
    assert_eq!((a.snapshot().streak, b.snapshot().streak), (1, 1), "each circuit hears of it once");
}

// Red when a frame stays on the stack while its future is not being polled.
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

// Red when nesting is looked up by anything but the running thread's stack.
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

// Red when what was heard before a suspension is kept on the thread instead of in the call.
#[test]
fn a_future_that_changes_threads_between_polls() {
    let circuit = three_strikes();
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
    assert_eq!(circuit.snapshot().streak, 1, "handled on one thread, answered on another, and still not washed away");
}

struct CallsWhenDropped<'c>(&'c Circuit, Evidence);

impl Drop for CallsWhenDropped<'_> {
    fn drop(&mut self) {
        assert!(call(self.0, self.1), "rejected in a destructor");
    }
}

// Red when the body is dropped outside its call's frame: its destructor then asks for a second slot.
#[test]
fn a_destructor_is_a_part_of_its_call() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(2));
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

    let result = catch(|| {
        circuit.call(|| -> Outcome {
            let _on_drop = CallsWhenDropped(&circuit, Evidence::Failed);
            panic!("a panic that unwinds through a call");
        })
    });
    assert!(result.is_err());
    assert_eq!(circuit.snapshot().streak, 1, "the destructor's failure and the panic count once");
}

// Red when a probe that was overtaken lets its inner calls ride on.
#[test]
fn an_inner_call_of_an_overtaken_probe_does_not_ride() {
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

// Red when only the innermost call around decides whether to ride: the stale one hides the probe.
#[test]
fn a_probe_does_not_reject_itself_through_a_stale_call() {
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

// Red when a stale inner result is taken for a report: the probe would keep its slot until the lease.
#[test]
fn a_stale_call_that_ends_inside_a_probe_leaves_the_verdict_to_it() {
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
