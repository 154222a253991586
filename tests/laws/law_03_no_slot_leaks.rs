//! Law 3: the slot of a probe is released however the probe ends: at once, or with the lease if its end cannot be
//! observed.

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

// Fails if an Unknown result does not release the slot.
#[test]
fn question_mark_and_return_release_the_slot() {
    let (circuit, _) = half_opened();
    let by_question_mark: Outcome = circuit.call(|| {
        refuses()?;
        unreachable!("the body ended early")
    });
    assert!(matches!(by_question_mark, Err(CallError::Busy)));
    assert!(has_free_slot(&circuit));

    #[expect(clippy::needless_return, reason = "the `return` is tested")]
    let _: Outcome = circuit.call(|| return refuses());
    assert!(has_free_slot(&circuit));
}

// Fails if a panic of the body does not settle the call.
#[test]
fn a_panic_of_the_body_releases_the_slot() {
    let (circuit, clock) = half_opened();
    let caught = catch(|| circuit.call(|| -> Outcome { panic!("in the probe") }));
    assert!(caught.is_err(), "the panic is resumed");
    assert_eq!(circuit.state(), State::Open, "a panic counts as failed");
    clock.advance(crate::common::COOLDOWN);
    assert!(has_free_slot(&circuit));
}

// Fails if no guard settles a call whose judge panics: the slot would leak until the lease ends.
#[test]
fn a_panic_of_the_classifier_releases_the_slot() {
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

// Fails if `Guard` does not settle a dropped call.
#[test]
fn a_drop_during_the_call_releases_the_slot() {
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
fn a_future_that_was_never_polled_takes_no_slot() {
    let (circuit, _) = half_opened();
    let unpolled = circuit.call_async(async { Outcome::Ok(()) });
    assert!(has_free_slot(&circuit), "it has taken none");
    drop(unpolled);
    assert!(has_free_slot(&circuit));
}

// Fails if a slot with an expired lease cannot be taken.
#[test]
fn a_forgotten_permit_keeps_its_slot_until_its_lease_ends() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    half_open(&circuit, &bed.clock);
    mem::forget(permit(&circuit));

    bed.clock.advance(just_before(LEASE));
    let open = circuit.try_acquire().unwrap_err();
    assert_eq!((open.reason(), open.retry_after()), (RejectionReason::ProbeInFlight, None));
    bed.clock.advance(TICK);
    permit(&circuit).settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(
        reasons(&bed.events),
        [Reason::Threshold, Reason::CooldownOver, Reason::LeaseExpired, Reason::ProbeSucceeded]
    );
}

// Fails if a full circuit waits for the last lease instead of the first, or for a lease whose slot was released.
#[test]
fn the_first_lease_that_ends_frees_a_slot() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1).half_open_probes(3));
    half_open(&circuit, &clock);
    let first = permit(&circuit);
    clock.advance(LEASE / 3);
    mem::forget(permit(&circuit));
    assert!(has_free_slot(&circuit), "two of three slots are taken");
    clock.advance(LEASE / 3);
    mem::forget(permit(&circuit));
    assert!(!has_free_slot(&circuit));
    drop(first);
    assert!(has_free_slot(&circuit));
    mem::forget(permit(&circuit));
    assert!(!has_free_slot(&circuit));

    clock.advance(just_before(LEASE * 2 / 3));
    assert!(!has_free_slot(&circuit));
    clock.advance(TICK);
    mem::forget(permit(&circuit));
    assert!(!has_free_slot(&circuit), "the next lease ends later");
    clock.advance(LEASE / 3);
    assert!(has_free_slot(&circuit));
}

// Fails if a probe that takes an expired slot keeps the era of the previous probe, whose result would then count.
#[test]
fn an_overtaken_probe_is_stale() {
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
fn a_late_probe_counts_if_it_was_not_overtaken() {
    let (circuit, clock) = half_opened();
    let late = permit(&circuit);
    clock.advance(10 * LEASE);
    late.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

// Does not compile if a handle is not `UnwindSafe`.
#[test]
fn every_handle_is_unwind_safe() {
    fn crosses_a_panic<T: UnwindSafe + RefUnwindSafe>() {}
    crosses_a_panic::<Circuit>();
    crosses_a_panic::<Permit>();
    crosses_a_panic::<Registry>();
}
