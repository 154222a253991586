//! Law 5: an answer inside an outer call is withdrawn if that outer call fails by itself. So a client whose transport
//! succeeds and whose decoding always fails opens the circuit.

use std::pin::{Pin, pin};

use breaker_core::{Answers, Circuit, Evidence, Reason, State, unnested};
use futures::future::join_all;

use crate::common::{
    COOLDOWN, CallError, Outcome, SECOND, block_on, call, catch, changes, circuit, fail, poll_once, suspend, test_bed,
};

fn five_strikes() -> Circuit {
    circuit(|config| config).0
}

fn down() -> Outcome {
    Err(CallError::Down)
}

/// An inner call that is answered.
fn answered(circuit: &Circuit) {
    assert!(call(circuit, Evidence::Answered), "rejected");
}

/// An inner call that is answered, as the result of the outer call.
fn succeeds(circuit: &Circuit) -> Outcome {
    circuit.call(|| Ok(()))
}

/// An inner call that fails, which the outer call handles.
fn handled(circuit: &Circuit) {
    assert!(call(circuit, Evidence::Failed), "rejected");
}

/// A transport that answers, and a decoder that fails.
fn undecodable(circuit: &Circuit) -> Outcome {
    circuit.call(|| {
        answered(circuit);
        down()
    })
}

/// Makes calls until the circuit opens, and asserts that it opens at the fifth and that each adds one to the streak.
#[track_caller]
fn opens_at_the_fifth(circuit: &Circuit, make: impl Fn(&Circuit) -> Outcome) {
    for made in 1..=5 {
        assert_eq!(circuit.state(), State::Closed, "before call {made}");
        assert!(matches!(make(circuit), Err(CallError::Down)), "call {made}");
        assert_eq!(circuit.snapshot().streak, if made < 5 { made } else { 0 }, "after call {made}");
    }
    assert_eq!((circuit.state(), circuit.snapshot().times_opened), (State::Open, 1));
}

// Fails if the inner answers of a failed outer call stay.
#[test]
fn a_client_that_cannot_decode_opens_at_its_fifth_call() {
    opens_at_the_fifth(&five_strikes(), undecodable);
    opens_at_the_fifth(&five_strikes(), |circuit| {
        block_on(circuit.call_async(async {
            let inner: Outcome = circuit
                .call_async(async {
                    suspend().await;
                    Ok(())
                })
                .await;
            suspend().await;
            inner.and_then(|()| down())
        }))
    });
    // Several inner answers in different polls.
    opens_at_the_fifth(&five_strikes(), |circuit| {
        block_on(circuit.call_async(async {
            for _ in 0..3 {
                answered(circuit);
                suspend().await;
            }
            down()
        }))
    });
    // The answer is a marked error.
    opens_at_the_fifth(&five_strikes(), |circuit| {
        circuit.call(|| {
            let _missing: Outcome = circuit.call(|| Err(CallError::NotFound));
            down()
        })
    });
    // A panic of the decoder.
    let circuit = five_strikes();
    for _ in 0..5 {
        let result = catch(|| {
            circuit.call(|| -> Outcome {
                answered(&circuit);
                panic!("the decoder panics")
            })
        });
        assert!(result.is_err());
    }
    assert_eq!(circuit.state(), State::Open);
}

// Fails if a failure that an inner answer has cleared stands for the failure of the outer call, or counts again with it.
#[test]
fn a_transport_that_retries_and_a_decoder_that_fails() {
    let circuit = five_strikes();
    for made in 1..=4 {
        let result: Outcome = circuit.call(|| {
            handled(&circuit);
            answered(&circuit);
            down()
        });
        assert!(result.is_err());
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, made));
    }
    // The next failure is the fifth, of whichever layer it is.
    handled(&circuit);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn every_layer_may_be_the_one_that_fails() {
    let three = |circuit: &Circuit, middle: fn() -> Outcome, outer: fn() -> Outcome| -> Outcome {
        circuit.call(|| {
            circuit.call(|| -> Outcome {
                answered(circuit);
                middle()
            })?;
            outer()
        })
    };
    opens_at_the_fifth(&five_strikes(), |circuit| three(circuit, down, || Ok(())));
    opens_at_the_fifth(&five_strikes(), |circuit| three(circuit, || Ok(()), down));
    // The middle layer fails once and is retried; the outer layer passes the second failure on.
    let circuit = five_strikes();
    let result: Outcome = circuit.call(|| {
        let _handled = undecodable(&circuit);
        undecodable(&circuit)
    });
    assert!(result.is_err());
    assert_eq!((circuit.snapshot().streak, circuit.snapshot().failed), (2, 2), "two remote failures");
}

// Fails if a page that fails after a page that was answered loses the streak from before.
#[test]
fn an_answered_page_and_a_failed_page() {
    let circuit = five_strikes();
    opens_at_the_fifth(&circuit, |circuit| {
        circuit.call(|| {
            answered(circuit);
            handled(circuit);
            down()
        })
    });
    assert_eq!(circuit.snapshot().failed, 5, "each remote failure counts once");
}

// Fails if the failures that a bulk call has handled come back, for itself or for another call.
#[test]
fn a_bulk_call_of_a_thousand_pages_stays_closed() {
    let pages = |circuit: &Circuit, page: &dyn Fn(bool)| {
        for number in 0..1_000 {
            page(number % 7 < 2);
            assert_eq!(circuit.state(), State::Closed, "at page {number}");
        }
    };
    let circuit = five_strikes();
    let leaf = |fails: bool| _ = call(&circuit, if fails { Evidence::Failed } else { Evidence::Answered });
    let layered = |fails: bool| -> () {
        let _: Outcome = circuit.call(|| circuit.call(|| if fails { down() } else { Ok(()) }));
    };
    for page in [&leaf as &dyn Fn(bool), &layered] {
        let bulk: Outcome = circuit.call(|| {
            pages(&circuit, page);
            Ok(())
        });
        assert!(bulk.is_ok());
        circuit.reset();
        // The bulk call itself fails at its end.
        let bulk: Outcome = circuit.call(|| {
            pages(&circuit, page);
            page(false);
            down()
        });
        assert!(bulk.is_err());
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 1));
        circuit.reset();
        // Another call fails while the bulk call is under way.
        let mut bulk = pin!(circuit.call_async(async {
            pages(&circuit, page);
            page(false);
            suspend().await;
            Outcome::Ok(())
        }));
        assert!(poll_once(bulk.as_mut()).is_pending());
        assert!(undecodable(&circuit).is_err());
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 1));
        assert!(poll_once(bulk.as_mut()).is_ready());
        circuit.reset();
    }
}

/// An outer call that is suspended after its inner call was answered, and fails when it is polled again.
fn suspended(circuit: &Circuit, end: fn() -> Outcome) -> Pin<Box<dyn Future<Output = Outcome> + '_>> {
    let mut call = Box::pin(circuit.call_async(async move {
        answered(circuit);
        suspend().await;
        end()
    }));
    assert!(poll_once(call.as_mut()).is_pending());
    call
}

// Fails if what an unrelated answer has cleared comes back.
#[test]
fn an_unrelated_answer_in_between_clears() {
    let circuit = five_strikes();
    let unrelated: [&dyn Fn(); 4] = [
        &|| answered(&circuit),
        &|| {
            let layered: Outcome = circuit.call(|| succeeds(&circuit));
            assert!(layered.is_ok());
        },
        &|| {
            let marked: Outcome = circuit.call(|| Err(CallError::NotFound));
            assert!(marked.is_err());
        },
        &|| {
            let permit = circuit.try_acquire().unwrap();
            permit.settle(Evidence::Answered);
        },
    ];
    for unrelated in unrelated {
        fail(&circuit, 3);
        let mut outer = suspended(&circuit, down);
        unrelated();
        assert!(poll_once(outer.as_mut()).is_ready());
        assert_eq!(circuit.snapshot().streak, 1);
        answered(&circuit);
    }
    // Without one, they come back, also after an unrelated failure or an unrelated call without a verdict.
    fail(&circuit, 2);
    let mut outer = suspended(&circuit, down);
    fail(&circuit, 1);
    let busy: Outcome = circuit.call(|| Err(CallError::Busy));
    assert!(busy.is_err());
    assert!(poll_once(outer.as_mut()).is_ready());
    assert_eq!(circuit.snapshot().streak, 4);
}

// Fails if the answers inside calls that all fail clear the failures of one another.
#[test]
fn clients_that_cannot_decode_open_the_circuit_concurrently_too() {
    for workers in 2..=4 {
        let circuit = five_strikes();
        let mut made = 0;
        while circuit.state() == State::Closed {
            assert!(made < 5, "{made} calls by {workers} workers");
            let calls = (0..workers).map(|_| {
                circuit.call_async(async {
                    suspend().await;
                    answered(&circuit);
                    suspend().await;
                    down()
                })
            });
            drop(block_on(join_all(calls)));
            made += workers;
        }
    }
    // The inner answer of a call that succeeds is an unrelated answer.
    let circuit = five_strikes();
    fail(&circuit, 4);
    let (mut decodes, mut fails) = (suspended(&circuit, || Ok(())), suspended(&circuit, down));
    assert!(poll_once(decodes.as_mut()).is_ready());
    assert!(poll_once(fails.as_mut()).is_ready());
    assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 1));
}

// Fails if an answer is withdrawn although its outer call did not fail.
#[test]
fn an_outer_call_that_does_not_fail_withdraws_nothing() {
    let circuit = five_strikes();
    let ends: [fn() -> Outcome; 3] = [|| Ok(()), || Err(CallError::NotFound), || Err(CallError::Busy)];
    for end in ends {
        fail(&circuit, 4);
        let mut outer = suspended(&circuit, end);
        assert!(poll_once(outer.as_mut()).is_ready());
        assert_eq!(circuit.snapshot().streak, 0);
        fail(&circuit, 1);
        assert_eq!(circuit.snapshot().streak, 1);
        answered(&circuit);
    }
    fail(&circuit, 4);
    drop(suspended(&circuit, down));
    assert_eq!(circuit.snapshot().streak, 0, "cancelled");
    // What came after the inner answer still counts after the outer answer.
    let outer: Outcome = circuit.call(|| {
        answered(&circuit);
        handled(&circuit);
        Ok(())
    });
    assert!(outer.is_ok());
    assert_eq!(circuit.snapshot().streak, 1);
}

// Fails if the circuit still looks for answers to withdraw, so that each further success takes the lock.
#[test]
fn after_an_outer_answer_a_success_has_no_effect_again() {
    let (circuit, clock) = circuit(|config| config);
    fail(&circuit, 1);
    let layered: Outcome = circuit.call(|| circuit.call(|| succeeds(&circuit)));
    assert!(layered.is_ok());
    clock.advance(SECOND);
    answered(&circuit);
    assert_eq!(circuit.snapshot().last_answer.unwrap().age, SECOND, "only an answer that has an effect is recorded");
}

#[test]
fn a_forgotten_outer_call_keeps_the_circuit_working() {
    let circuit = five_strikes();
    fail(&circuit, 4);
    std::mem::forget(suspended(&circuit, down));
    assert_eq!(circuit.snapshot().streak, 0);
    opens_at_the_fifth(&circuit, |circuit| {
        let result: Outcome = circuit.call(down);
        result
    });
}

#[test]
fn marked_answers_that_keep_the_streak() {
    let keeping = || circuit(|config| config.answers(Answers::KeepStreak)).0;
    opens_at_the_fifth(&keeping(), |circuit| {
        circuit.call(|| {
            let _missing: Outcome = circuit.call(|| Err(CallError::NotFound));
            down()
        })
    });
    opens_at_the_fifth(&keeping(), |circuit| {
        circuit.call(|| {
            answered(circuit);
            let _missing: Outcome = circuit.call(|| Err(CallError::NotFound));
            down()
        })
    });
    // A marked answer does not clear an inner failure, so that failure stands for the outer one.
    let circuit = keeping();
    let result: Outcome = circuit.call(|| {
        handled(&circuit);
        let _missing: Outcome = circuit.call(|| Err(CallError::NotFound));
        down()
    });
    assert!(result.is_err());
    assert_eq!(circuit.snapshot().streak, 1);
}

// Fails if a failure comes back that is older than the window, or without its time.
#[test]
fn failures_come_back_with_their_age() {
    let (circuit, clock) = circuit(|config| config.failure_window(10 * SECOND));
    opens_at_the_fifth(&circuit, undecodable);
    circuit.reset();
    for _ in 0..3 {
        fail(&circuit, 1);
        clock.advance(2 * SECOND);
    }
    let mut outer = suspended(&circuit, down);
    assert_eq!(circuit.snapshot().streak, 0);
    clock.advance(5 * SECOND);
    assert!(poll_once(outer.as_mut()).is_ready());
    assert_eq!(circuit.snapshot().streak, 3, "the first failure is 11 seconds old, the others count again");
    clock.advance(3 * SECOND);
    assert_eq!(circuit.snapshot().streak, 1);
    // A failure that was handled leaves the window with its own time, not with that of another one.
    clock.advance(10 * SECOND);
    fail(&circuit, 1);
    clock.advance(4 * SECOND);
    let result: Outcome = circuit.call(|| {
        handled(&circuit);
        answered(&circuit);
        down()
    });
    assert!(result.is_err());
    assert_eq!(circuit.snapshot().streak, 2);
    clock.advance(6 * SECOND);
    assert_eq!(circuit.snapshot().streak, 1);
}

// Fails if a withdrawn answer leaves the rate, or if the outer failure does not enter it.
#[test]
fn a_rate_counts_the_outer_failure_and_keeps_the_answers() {
    let lenient = || circuit(|config| config.failure_threshold(100).failure_rate(0.6, 6, 60 * SECOND));
    let bed = test_bed(|config| config.failure_threshold(100).failure_rate(0.5, 6, 60 * SECOND));
    let circuit = bed.registry.circuit("shop-7");
    for round in 1..=3 {
        assert_eq!(circuit.state(), State::Closed, "before round {round}");
        assert!(undecodable(&circuit).is_err());
    }
    assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::Rate)], "three of six");
    let (circuit, _) = lenient();
    for _ in 0..20 {
        assert!(undecodable(&circuit).is_err());
    }
    assert_eq!(circuit.state(), State::Closed, "half of all calls fail");
    // An inner failure that the outer call passes on is one of them, not two.
    let (circuit, _) = lenient();
    for _ in 0..20 {
        let result: Outcome = circuit.call(|| {
            answered(&circuit);
            circuit.call(down)
        });
        assert!(result.is_err());
    }
    assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Closed, 20));
}

// Fails if anything from before a change of state comes back.
#[test]
fn nothing_comes_back_across_a_change_of_state() {
    let (circuit, clock) = circuit(|config| config);
    fail(&circuit, 4);
    let mut outer = suspended(&circuit, down);
    circuit.reset();
    assert!(poll_once(outer.as_mut()).is_ready());
    assert_eq!((circuit.snapshot().streak, circuit.snapshot().stale), (0, 1));
    // The outer call belongs to an earlier era than its inner calls, which therefore are not a part of it.
    let result: Outcome = circuit.call(|| {
        circuit.reset();
        unnested(|| fail(&circuit, 3));
        answered(&circuit);
        down()
    });
    assert!(result.is_err());
    assert_eq!(circuit.snapshot().streak, 0);
    clock.advance(SECOND);
    answered(&circuit);
    assert_eq!(circuit.snapshot().last_answer.unwrap().age, SECOND, "nothing is left that could be withdrawn");
    // A probe closes the circuit during the outer call.
    fail(&circuit, 4);
    let mut outer = suspended(&circuit, down);
    circuit.trip();
    clock.advance(COOLDOWN);
    answered(&circuit);
    assert!(poll_once(outer.as_mut()).is_ready());
    assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 0));
}

// Fails if two calls are taken for one because a number is used again.
#[test]
fn many_outer_calls_one_after_another_and_one_that_outlasts_them() {
    let circuit = five_strikes();
    fail(&circuit, 2);
    let mut outer = suspended(&circuit, down);
    for _ in 0..1_000 {
        fail(&circuit, 1);
        let layered: Outcome = circuit.call(|| {
            answered(&circuit);
            handled(&circuit);
            answered(&circuit);
            Ok(())
        });
        assert!(layered.is_ok());
        assert_eq!(circuit.snapshot().streak, 0);
    }
    fail(&circuit, 2);
    assert!(poll_once(outer.as_mut()).is_ready());
    assert_eq!(circuit.snapshot().streak, 3);
}
