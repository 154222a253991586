//! Law 3: however a probe ends, its slot comes back: at once, or with the lease where nobody can know.

use std::mem;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::pin;

use crate::common::{
    CallError, LEASE, Outcome, TICK, catch, circuit, half_open, has_free_slot, just_before, permit, poll_once, reasons,
    suspend, test_bed,
};
use breaker_core::{Circuit, Evidence, Permit, Reason, Registry, RejectionReason, State};

fn half_opened() -> (Circuit, breaker_core::testing::ManualClock) {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    half_open(&circuit, &clock);
    (circuit, clock)
}

fn refuses() -> Outcome {
    Err(CallError::Busy)
}

// Red when an Unknown does not release the slot.
#[test]
fn question_mark_and_return() {
    let (circuit, _) = half_opened();
    let by_question_mark: Outcome = circuit.call(|| {
        refuses()?;
        unreachable!("the body was left")
    });
    assert!(matches!(by_question_mark, Err(CallError::Busy)));
    assert!(has_free_slot(&circuit));

    #[expect(clippy::needless_return, reason = "it is the `return` that is tested")]
    let _: Outcome = circuit.call(|| return refuses());
    assert!(has_free_slot(&circuit));
}

// Red when a panic of the body settles nothing.
#[test]
fn panic() {
    let (circuit, clock) = half_opened();
    let caught = catch(|| circuit.call(|| -> Outcome { panic!("in the probe") }));
    assert!(caught.is_err(), "the panic goes on");
    assert_eq!(circuit.state(), State::Open, "a panic counts as failed");
    clock.advance(crate::common::COOLDOWN);
    assert!(has_free_slot(&circuit));
}

// Red when a call is under nobody's guard while its result is judged: a panic there leaked the slot until the lease.
#[test]
fn panic_of_a_classifier() {
    let (circuit, clock) = half_opened();
    let classify = |_: &Outcome| -> Evidence { panic!("in the classifier") };
    assert!(catch(|| circuit.call_with(|| Ok(()), classify)).is_err());
    assert_eq!(circuit.state(), State::Open, "a panic counts as failed, wherever it is");
    clock.advance(crate::common::COOLDOWN);
    assert!(catch(|| poll_once(pin!(circuit.call_async_with(async { Ok(()) }, classify)))).is_err());
    assert_eq!(circuit.state(), State::Open);
    clock.advance(crate::common::COOLDOWN);
    assert!(has_free_slot(&circuit));
}

// Red when `Guard` has no `Drop`.
#[test]
fn drop_mid_flight() {
    let (circuit, _) = half_opened();
    {
        let mut call = pin!(circuit.call_async(async {
            suspend().await;
            Outcome::Ok(())
        }));
        assert!(poll_once(call.as_mut()).is_pending());
        assert!(circuit.try_acquire().is_err(), "the probe is in flight");
    }
    assert!(has_free_slot(&circuit));
    drop(permit(&circuit));
    assert!(has_free_slot(&circuit));
}

#[test]
fn a_future_that_was_never_polled() {
    let (circuit, _) = half_opened();
    let unpolled = circuit.call_async(async { Outcome::Ok(()) });
    assert!(has_free_slot(&circuit), "it has taken none");
    drop(unpolled);
    assert!(has_free_slot(&circuit));
}

// Red when an expired lease is not taken over.
#[test]
fn a_forgotten_permit_through_its_lease() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    half_open(&circuit, &bed.clock);
    mem::forget(permit(&circuit));

    bed.clock.advance(just_before(LEASE));
    let open = circuit.try_acquire().unwrap_err();
    assert_eq!((open.reason(), open.retry_after()), (RejectionReason::ProbeInFlight, Some(TICK)));
    bed.clock.advance(TICK);
    permit(&circuit).settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(
        reasons(&bed.events),
        [Reason::Threshold, Reason::CooldownOver, Reason::LeaseExpired, Reason::ProbeSucceeded]
    );
}

// Red when a probe that takes an expired slot over keeps its era: the overtaken one then decides.
#[test]
fn an_overtaken_probe_is_of_an_older_era() {
    for evidence in [Evidence::Answered, Evidence::Failed, Evidence::Unknown] {
        let (circuit, clock) = half_opened();
        let overtaken = permit(&circuit);
        clock.advance(LEASE);
        let probe = permit(&circuit);

        overtaken.settle(evidence);
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1), "{evidence:?}");
        assert!(circuit.try_acquire().is_err(), "the slot is the new probe's");
        probe.settle(Evidence::Answered);
        assert_eq!(circuit.state(), State::Closed);
    }
}

#[test]
fn a_late_probe_that_nobody_overtook_is_heard() {
    let (circuit, clock) = half_opened();
    let late = permit(&circuit);
    clock.advance(10 * LEASE);
    late.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

// Does not compile when a handle may not be seen on the other side of a panic.
#[test]
fn a_panic_may_be_caught_around_every_handle() {
    fn crosses_a_panic<T: UnwindSafe + RefUnwindSafe>() {}
    crosses_a_panic::<Circuit>();
    crosses_a_panic::<Permit>();
    crosses_a_panic::<Registry>();
}
