//! Law 8: reads have no side effects.

use std::time::Duration;

use crate::common::{
    COOLDOWN, TICK, fail, half_open, has_free_slot, just_before, open, permit, test_bed, test_bed_with,
};
use breaker_core::testing::TestBed;
use breaker_core::{Evidence, State};

fn look(bed: &TestBed) {
    let circuit = bed.registry.get("shop-7").expect("it is there");
    let _ = (circuit.state(), circuit.snapshot(), format!("{circuit:?}"), circuit.connection());
    let _ = (bed.registry.len(), bed.registry.is_empty(), bed.registry.snapshots(), bed.registry.clone());
}

// Fails if `state` takes the slot of the probe and changes the state.
#[test]
fn reads_in_every_state_have_no_side_effects() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let circuit = bed.registry.circuit("shop-7");

    fail(&circuit, 1);
    let before = circuit.snapshot();
    look(&bed);
    assert_eq!(circuit.snapshot(), before);

    open(&circuit);
    bed.events.clear();
    let before = circuit.snapshot();
    look(&bed);
    assert_eq!(circuit.snapshot(), before);

    bed.clock.advance(COOLDOWN);
    let before = circuit.snapshot();
    look(&bed);
    assert_eq!(circuit.snapshot(), before);
    assert_eq!(bed.events.all(), [], "a reader saw half-open, and no call has probed yet");
    assert!(has_free_slot(&circuit));

    let probe = permit(&circuit);
    let before = circuit.snapshot();
    look(&bed);
    assert_eq!(circuit.snapshot(), before);
    probe.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if `Machine::state` compares with `<=`.
#[test]
fn half_open_as_soon_as_the_cooldown_is_over() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    open(&circuit);
    bed.clock.advance(just_before(COOLDOWN));
    assert_eq!((circuit.state(), circuit.snapshot().retry_after), (State::Open, Some(TICK)));
    bed.clock.advance(TICK);
    assert_eq!((circuit.state(), circuit.snapshot().retry_after), (State::HalfOpen, None));
    assert_eq!(bed.registry.snapshots()[0].state, State::HalfOpen);
}

// Fails if `Registry::get` counts as a use of the circuit.
#[test]
fn a_read_is_not_a_use() {
    let idle = Duration::from_secs(700);
    let bed = test_bed_with(|config| config, |registry| registry.idle_after(idle));
    drop(bed.registry.circuit("shop-7"));
    bed.clock.advance(just_before(idle));
    look(&bed);
    bed.clock.advance(TICK);
    assert!(bed.registry.get("shop-7").is_none());
    assert!(bed.registry.is_empty() && bed.registry.snapshots().is_empty());
}

// Fails if `get` or `reset` creates a missing circuit.
#[test]
fn a_read_creates_no_circuit() {
    let bed = test_bed(|config| config);
    assert!(bed.registry.get("shop-7").is_none());
    assert!(!bed.registry.reset("shop-7"));
    assert!(!bed.registry.remove("shop-7"));
    assert!(bed.registry.is_empty());
}

// A half-open circuit stays half-open for every reader, however long no call is made.
#[test]
fn time_alone_does_not_close_a_circuit() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    half_open(&circuit, &bed.clock);
    bed.clock.advance(Duration::from_secs(1_000_000));
    assert_eq!(circuit.state(), State::HalfOpen);
}
