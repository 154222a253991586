//! Law 1: every change of state begins a new era, and a result of an older one changes nothing.

use crate::common::{COOLDOWN, call, circuit, fail, half_open, open, permit, test_bed};
use breaker_core::{Evidence, State};

const ALL: [Evidence; 3] = [Evidence::Answered, Evidence::Failed, Evidence::Unknown];

// Red when `settle` takes every result of a closed circuit, whatever its era.
#[test]
fn closed_again_hears_nothing_of_before() {
    for evidence in ALL {
        let (circuit, clock) = circuit(|config| config.failure_threshold(2));
        let old = permit(&circuit);
        half_open(&circuit, &clock);
        assert!(call(&circuit, Evidence::Answered));
        fail(&circuit, 1);
        let before = circuit.snapshot();
        assert_eq!((before.state, before.streak), (State::Closed, 1));

        old.settle(evidence);
        let after = circuit.snapshot();
        assert_eq!((after.state, after.streak), (State::Closed, 1), "after an old {evidence:?}");
        assert_eq!((after.stale, after.failed, after.unknown), (1, before.failed, before.unknown));
    }
}

// Red when an open circuit counts failures, or starts its cooldown anew.
#[test]
fn open_hears_nothing_of_before() {
    for evidence in ALL {
        let (circuit, clock) = circuit(|config| config.failure_threshold(2));
        let old = permit(&circuit);
        open(&circuit);
        clock.advance(COOLDOWN / 2);

        old.settle(evidence);
        let after = circuit.snapshot();
        assert_eq!((after.state, after.stale), (State::Open, 1));
        assert_eq!(after.retry_after, Some(COOLDOWN / 2), "after an old {evidence:?}");
    }
}

// Red when `Probes::holds` is always true: the old result then closes the circuit, opens it or frees the slot.
#[test]
fn half_open_hears_nothing_of_before() {
    for evidence in ALL {
        let (circuit, clock) = circuit(|config| config.failure_threshold(2));
        let old = permit(&circuit);
        half_open(&circuit, &clock);
        let probe = permit(&circuit);

        old.settle(evidence);
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
        assert!(circuit.try_acquire().is_err(), "an old {evidence:?} gave the probe's slot away");
        probe.settle(Evidence::Answered);
        assert_eq!(circuit.state(), State::Closed);
    }
}

#[test]
fn a_probe_of_an_earlier_half_open_state_is_old_too() {
    for evidence in ALL {
        let (circuit, clock) = circuit(|config| config.failure_threshold(1).half_open_probes(2));
        half_open(&circuit, &clock);
        let (old, failing) = (permit(&circuit), permit(&circuit));
        failing.settle(Evidence::Failed);
        clock.advance(COOLDOWN);
        let probes = (permit(&circuit), permit(&circuit));

        old.settle(evidence);
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
        assert!(circuit.try_acquire().is_err());
        probes.0.settle(Evidence::Answered);
        assert_eq!(circuit.state(), State::HalfOpen);
        probes.1.settle(Evidence::Answered);
        assert_eq!(circuit.state(), State::Closed);
    }
}

// Red when `trip`, `hold_open` or `reset` keep the era.
#[test]
fn a_forced_state_begins_an_era_even_where_it_looks_the_same() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let circuit = bed.registry.circuit("shop-7");
    let old = permit(&circuit);
    circuit.reset();
    old.settle(Evidence::Failed);
    assert_eq!(circuit.snapshot().streak, 0);
    assert_eq!(bed.events.all(), [], "closed before and after");

    for force in [breaker_core::Circuit::trip, breaker_core::Circuit::hold_open] {
        let old = permit(&circuit);
        force(&circuit);
        circuit.reset();
        old.settle(Evidence::Failed);
        assert_eq!(circuit.snapshot().streak, 0);
    }
    assert_eq!(circuit.snapshot().stale, 3);
}
