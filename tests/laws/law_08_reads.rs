//! Law 8: reads change nothing.

use std::time::Duration;

use crate::common::{COOLDOWN, TICK, World, fail, half_open, has_free_slot, just_before, open, permit};
use breaker_core::{Evidence, State};

fn look(world: &World) {
    let circuit = world.registry.get("shop-7").expect("it is there");
    let _ = (circuit.state(), circuit.snapshot(), format!("{circuit:?}"), circuit.connection());
    let _ = (world.registry.len(), world.registry.is_empty(), world.registry.snapshots(), world.registry.clone());
}

// Red when `state` enters the machine: it then takes the probe's slot and moves the state.
#[test]
fn in_every_state() {
    let world = World::new(|config| config.failure_threshold(2));
    let circuit = world.circuit();

    fail(&circuit, 1);
    let before = circuit.snapshot();
    look(&world);
    assert_eq!(circuit.snapshot(), before);

    open(&circuit);
    world.events.clear();
    let before = circuit.snapshot();
    look(&world);
    assert_eq!(circuit.snapshot(), before);

    world.clock.advance(COOLDOWN);
    let before = circuit.snapshot();
    look(&world);
    assert_eq!(circuit.snapshot(), before);
    assert_eq!(world.events.all(), [], "a reader saw half-open, and nobody has probed yet");
    assert!(has_free_slot(&circuit));

    let probe = permit(&circuit);
    let before = circuit.snapshot();
    look(&world);
    assert_eq!(circuit.snapshot(), before);
    probe.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

// Red when `Machine::state` compares with `<=`.
#[test]
fn half_open_as_soon_as_the_cooldown_is_over() {
    let world = World::new(|config| config.failure_threshold(1));
    let circuit = world.circuit();
    open(&circuit);
    world.clock.advance(just_before(COOLDOWN));
    assert_eq!((circuit.state(), circuit.snapshot().retry_after), (State::Open, Some(TICK)));
    world.clock.advance(TICK);
    assert_eq!((circuit.state(), circuit.snapshot().retry_after), (State::HalfOpen, None));
    assert_eq!(world.registry.snapshots()[0].state, State::HalfOpen);
}

// Red when `Registry::get` touches what it finds.
#[test]
fn looking_does_not_keep_a_circuit_from_going_idle() {
    let idle = Duration::from_secs(700);
    let world = World::with(|config| config, |registry| registry.idle_after(idle));
    drop(world.circuit());
    world.clock.advance(just_before(idle));
    look(&world);
    world.clock.advance(TICK);
    assert!(world.registry.get("shop-7").is_none());
    assert!(world.registry.is_empty() && world.registry.snapshots().is_empty());
}

// Red when `get` or `reset` make what they do not find.
#[test]
fn looking_makes_nothing() {
    let world = World::new(|config| config);
    assert!(world.registry.get("shop-7").is_none());
    assert!(!world.registry.reset("shop-7"));
    assert!(!world.registry.remove("shop-7"));
    assert!(world.registry.is_empty());
}

// A half-open circuit stays so for whoever looks, however long nobody calls.
#[test]
fn time_alone_does_not_close_a_circuit() {
    let world = World::new(|config| config.failure_threshold(1));
    let circuit = world.circuit();
    half_open(&circuit, &world.clock);
    world.clock.advance(Duration::from_secs(1_000_000));
    assert_eq!(circuit.state(), State::HalfOpen);
}
