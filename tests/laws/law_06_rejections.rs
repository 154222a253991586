//! Law 6: a rejection is never evidence, neither for its own circuit nor for an outer one.

use std::time::Duration;

use crate::common::{COOLDOWN, CallError, Outcome, call, fail, half_open, permit, test_bed};
use breaker_core::{Circuit, CircuitOpen, Evidence, ProvesReachable, RejectionReason, State};

// Fails if a rejected call is settled, or if the judge receives a rejection.
#[test]
fn a_rejection_is_not_evidence_for_its_own_circuit() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    circuit.trip();
    let before = circuit.snapshot();
    for _ in 0..10 {
        assert!(!call(&circuit, Evidence::Failed));
        let judged: Outcome = circuit.call_with(|| Ok(()), |_| panic!("a rejection was judged"));
        assert!(judged.is_err());
    }
    let after = circuit.snapshot();
    assert_eq!(after.rejected, 20);
    assert_eq!(after.retry_after, before.retry_after);
    assert_eq!((after.failed, after.unknown, after.stale, after.dropped), (0, 0, 0, 0));
}

// Fails if the time is computed when the call is rejected, or if a probe in flight promises one.
#[test]
fn retry_after_is_what_is_left_of_the_cooldown() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    circuit.trip();
    let open = circuit.try_acquire().unwrap_err();
    bed.clock.advance(COOLDOWN / 3);
    assert_eq!(open.retry_after(), Some(COOLDOWN * 2 / 3));
    assert!(open.to_string().ends_with("; retry in 60 s"), "{open}");
    bed.clock.advance(COOLDOWN);
    assert_eq!(open.retry_after(), Some(Duration::ZERO));

    let probe = permit(&circuit);
    let rejected = circuit.try_acquire().unwrap_err();
    assert_eq!((rejected.reason(), rejected.retry_after()), (RejectionReason::ProbeInFlight, None));
    assert_eq!(rejected.to_string(), "the circuit of connection `shop-7` is half-open (probe in flight)");
    drop(probe);

    circuit.hold_open();
    assert_eq!(circuit.try_acquire().unwrap_err().retry_after(), None);

    // A stored rejection keeps the clock and not the circuit.
    drop(circuit);
    assert!(bed.registry.remove("shop-7"));
    assert!(bed.registry.get("shop-7").is_none());
    assert_eq!(open.retry_after(), Some(Duration::ZERO));
}

/// An error that declares a rejection to be a failure, or an answer.
#[derive(Debug, thiserror::Error)]
enum Mistaken {
    #[error("the other system is down")]
    Failure(#[source] CircuitOpen),
    #[error("the other system is down, they say")]
    Answer(#[source] CircuitOpen),
    #[error(transparent)]
    Own(#[from] CircuitOpen),
}

impl ProvesReachable for Mistaken {
    fn evidence(&self) -> Evidence {
        match self {
            Self::Answer(_) => Evidence::Answered,
            Self::Failure(_) => Evidence::Failed,
            Self::Own(_) => Evidence::Unknown,
        }
    }
}

fn through(outer: &Circuit, inner: &Circuit, wrap: fn(CircuitOpen) -> Mistaken) -> Result<(), Mistaken> {
    outer.call(|| inner.try_acquire().map(|_| ()).map_err(wrap))
}

// Fails if the chain of sources is not searched for a rejection.
#[test]
fn a_rejection_is_not_evidence_for_the_circuit_of_an_outer_call() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let (outer, inner) = (bed.registry.circuit("shop-7"), bed.registry.circuit("crm-7"));
    inner.hold_open();
    fail(&outer, 1);
    for wrap in [Mistaken::Failure, Mistaken::Answer, Mistaken::Own] {
        through(&outer, &inner, wrap).unwrap_err();
        assert_eq!((outer.state(), outer.snapshot().streak), (State::Closed, 1));
    }

    half_open(&outer, &bed.clock);
    for wrap in [Mistaken::Failure, Mistaken::Answer, Mistaken::Own] {
        through(&outer, &inner, wrap).unwrap_err();
        assert_eq!(outer.state(), State::HalfOpen, "the probe was inconclusive");
    }
    drop(permit(&outer));
}

// Fails if a rejected call reports to its outer calls.
#[test]
fn a_rejected_inner_call_does_not_report_to_the_outer_one() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let circuit = bed.registry.circuit("shop-7");
    fail(&circuit, 1);
    let result: Outcome = circuit.call(|| {
        circuit.trip();
        let inner: Outcome = circuit.call(|| unreachable!("the circuit is open"));
        assert!(matches!(inner, Err(CallError::Rejected(_))));
        circuit.reset();
        inner
    });
    assert!(result.is_err());
    assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 0));
}
