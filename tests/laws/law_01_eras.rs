//! Law 1: every change of state begins a new era, and results of older eras are ignored.

use crate::common::{COOLDOWN, call, circuit, fail, half_open, open, permit, test_bed};
use breaker_core::{Evidence, State};

const ALL: [Evidence; 3] = [Evidence::Answered, Evidence::Failed, Evidence::Unknown];

// Fails if a closed circuit records a result of any era.
#[test]
fn closed_again_ignores_results_from_before() {
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

// Fails if an open circuit counts failures or restarts its cooldown.
#[test]
fn open_ignores_results_from_before() {
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

// Fails if `Probes::holds` always returns true: the old result then closes or opens the circuit, or releases the slot.
#[test]
fn half_open_ignores_results_from_before() {
    for evidence in ALL {
        let (circuit, clock) = circuit(|config| config.failure_threshold(2));
        let old = permit(&circuit);
        half_open(&circuit, &clock);
        let probe = permit(&circuit);

        old.settle(evidence);
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
        assert!(circuit.try_acquire().is_err(), "an old {evidence:?} released the slot of the probe");
        probe.settle(Evidence::Answered);
        assert_eq!(circuit.state(), State::Closed);
    }
}

#[test]
fn a_probe_of_an_earlier_half_open_state_is_stale() {
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

// Fails if `trip`, `hold_open` or `reset` keeps the era.
#[test]
fn a_forced_state_begins_an_era_even_if_the_state_is_equal() {
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
