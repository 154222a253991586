//! Law 13: a reset wins. The circuit is closed at once, and results of calls from before are ignored.

use std::sync::Barrier;
use std::thread;

use crate::common::{COOLDOWN, fail, half_open, open, permit, test_bed};
use breaker_core::{Circuit, Evidence, State};

fn is_new(circuit: &Circuit) {
    let snapshot = circuit.snapshot();
    assert_eq!((snapshot.state, snapshot.streak, snapshot.held), (State::Closed, 0, false));
    assert_eq!(snapshot.retry_after, None);
}

// Fails if `reset` keeps the era, the streak or the held state.
#[test]
fn a_reset_closes_from_every_state() {
    let bed = test_bed(|config| config.failure_threshold(2).half_open_probes(2));
    let circuit = bed.registry.circuit("shop-7");
    let states: [(&str, &dyn Fn()); 6] = [
        ("closed", &|| {}),
        ("closed with a streak", &|| fail(&circuit, 1)),
        ("open", &|| open(&circuit)),
        ("held open", &|| circuit.hold_open()),
        ("half-open", &|| half_open(&circuit, &bed.clock)),
        ("half-open with a success", &|| {
            half_open(&circuit, &bed.clock);
            permit(&circuit).settle(Evidence::Answered);
        }),
    ];
    for (name, reach) in states {
        let before = permit(&circuit);
        reach();
        circuit.reset();
        is_new(&circuit);
        before.settle(Evidence::Failed);
        is_new(&circuit);
        let (first, second) = (permit(&circuit), permit(&circuit));
        first.settle(Evidence::Failed);
        assert_eq!(circuit.state(), State::Closed, "{name}: the whole threshold is there again");
        second.settle(Evidence::Failed);
        assert_eq!(circuit.state(), State::Open);
        circuit.reset();
    }
}

// Fails if `reset` keeps the slot of an earlier probe.
#[test]
fn a_probe_from_before_the_reset_is_stale() {
    for evidence in [Evidence::Answered, Evidence::Failed, Evidence::Unknown] {
        let bed = test_bed(|config| config.failure_threshold(1));
        let circuit = bed.registry.circuit("shop-7");
        half_open(&circuit, &bed.clock);
        let probe = permit(&circuit);
        assert!(bed.registry.reset("shop-7"));
        probe.settle(evidence);
        is_new(&circuit);
        assert_eq!(circuit.snapshot().stale, 1);
    }
}

// Fails if a reset keeps the grown cooldown.
#[test]
fn a_reset_restores_the_short_cooldown() {
    let bed = test_bed(|config| config.failure_threshold(1).cooldown_growth(2.0, 8 * COOLDOWN));
    let circuit = bed.registry.circuit("shop-7");
    half_open(&circuit, &bed.clock);
    permit(&circuit).settle(Evidence::Failed);
    assert_eq!(circuit.snapshot().retry_after, Some(2 * COOLDOWN));
    circuit.reset();
    half_open(&circuit, &bed.clock);
    permit(&circuit).settle(Evidence::Failed);
    assert_eq!(circuit.snapshot().retry_after, Some(2 * COOLDOWN));
}

// Fails if a settlement that runs at the same time can overwrite the state that a reset publishes.
#[test]
fn a_reset_wins_over_concurrent_failures_from_before() {
    for _ in 0..200 {
        let bed = test_bed(|config| config.failure_threshold(1));
        let circuit = bed.registry.circuit("shop-7");
        let old: Vec<_> = (0..4).map(|_| permit(&circuit)).collect();
        let at_once = Barrier::new(5);
        thread::scope(|scope| {
            for call in old {
                let at_once = &at_once;
                scope.spawn(move || {
                    at_once.wait();
                    call.settle(Evidence::Failed);
                });
            }
            scope.spawn(|| {
                at_once.wait();
                circuit.reset();
                assert_eq!(circuit.state(), State::Closed);
            });
        });
        is_new(&circuit);
    }
}
