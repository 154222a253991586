//! Law 12, in bytes: memory stays flat however many connections come and go, and no change of state and no drop leaks.
//!
//! One test, because the allocator counts for the whole process.

mod common;

use std::alloc::System;

use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, Config, Evidence, Registry, State};
use common::{COOLDOWN, SECOND, call, config, fail, half_open};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The budget of a circuit, without its key.
const BUDGET: usize = 256;

fn live_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    // Both counters include reallocations.
    stats.bytes_allocated - stats.bytes_deallocated
}

#[test]
fn memory_stays_bounded() {
    a_circuit_stays_within_its_budget();
    a_million_connections_come_and_go(|circuit| assert!(call(circuit, Evidence::Answered)));
    a_million_connections_come_and_go(|circuit| fail(circuit, 1));
    idle_connections_go();
    nothing_leaks_on_a_transition();
    nothing_leaks_on_a_drop();
}

/// The bytes for each circuit in a registry, without the text of its key.
fn bytes_each(circuits: usize, make: impl Fn(Circuit)) -> usize {
    let registry = Registry::builder().capacity(2 * circuits).build().unwrap();
    let before = live_bytes();
    for key in 0..circuits {
        make(registry.circuit(&format!("{key:08}")));
    }
    let bytes = live_bytes() - before;
    assert_eq!(registry.len(), circuits);
    bytes / circuits - 8
}

// Fails if a circuit grows. Another counter takes eight bytes.
fn a_circuit_stays_within_its_budget() {
    let recover = |circuit: Circuit| {
        fail(&circuit, 1);
        assert!(call(&circuit, Evidence::Answered));
    };
    // The map doubles its capacity, so it is emptiest just after it has grown.
    for circuits in [8_000, 12_000, 15_000, 20_000] {
        let healthy = bytes_each(circuits, drop);
        let failed = bytes_each(circuits, |circuit| fail(&circuit, 1));
        let recovered = bytes_each(circuits, recover);
        let open = bytes_each(circuits, |circuit| fail(&circuit, 5));
        println!(
            "{circuits} circuits: {healthy} bytes each, {failed} once they have failed, {recovered} recovered, {open} open"
        );
        assert!(healthy <= BUDGET, "{healthy} bytes for a circuit");
        for bytes in [failed, recovered, open] {
            assert!(bytes <= BUDGET, "{bytes} bytes for a circuit that has failed or opened");
        }
    }
}

// Fails if circuits are not evicted, or if the list of victims grows with the number of keys instead of the capacity.
fn a_million_connections_come_and_go(each: impl Fn(&Circuit)) {
    const CAPACITY: usize = 1_000;
    let clock = ManualClock::new();
    let config = config(|config| config.failure_threshold(2));
    let registry = Registry::builder().config(config).clock(clock.clone()).capacity(CAPACITY).build().unwrap();
    // These circuits are kept: one held by the test, one under probe, one in its cooldown.
    let in_hand = registry.circuit("in hand");
    half_open(&registry.circuit("under probe"), &clock);
    let probe = registry.circuit("under probe").try_acquire().unwrap();
    registry.circuit("in cooldown").trip();

    let mut most = 0;
    let mut first = 0;
    for key in 0..1_000_000_u32 {
        each(&registry.circuit(&key));
        if key.is_multiple_of(1_000) {
            most = most.max(live_bytes());
        }
        if key == 100_000 {
            (first, most) = (most, 0);
        }
    }
    assert!(most <= first + first / 20, "{first} bytes at most for the first connections, then {most}");
    assert!(registry.len() <= CAPACITY);
    assert_eq!(registry.circuit("in hand"), in_hand);
    assert_eq!(registry.circuit("in cooldown").state(), State::Open);
    probe.settle(Evidence::Answered);
    assert_eq!(registry.circuit("under probe").state(), State::Closed);
}

// Fails if idle circuits are hidden and never removed.
fn idle_connections_go() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(clock.clone()).idle_after(100 * SECOND).build().unwrap();
    let mut most = 0;
    let mut first = 0;
    for key in 0..300_000_u32 {
        fail(&registry.circuit(&key), 1);
        if key.is_multiple_of(100) {
            clock.advance(SECOND);
            most = most.max(live_bytes());
        }
        if key == 50_000 {
            (first, most) = (most, 0);
        }
    }
    assert!(most <= first + first / 20, "{first} bytes at most for the first connections, then {most}");
}

// Fails if a change of state leaks slots, times of failures or events.
fn nothing_leaks_on_a_transition() {
    let clock = ManualClock::new();
    let settings = config(|config| {
        config.failure_threshold(2).failure_window(SECOND).failure_rate(0.9, 5, SECOND).half_open_probes(2)
    });
    let circuit = Circuit::with_clock("shop-7", settings, clock.clone());
    let cycle = || {
        half_open(&circuit, &clock);
        let slow = circuit.try_acquire().unwrap();
        drop(circuit.try_acquire());
        circuit.trip();
        slow.settle(Evidence::Answered);
        clock.advance(COOLDOWN);
        assert!(call(&circuit, Evidence::Answered) && call(&circuit, Evidence::Answered));
        assert_eq!(circuit.state(), State::Closed);
    };
    cycle();
    let before = live_bytes();
    for _ in 0..100_000 {
        cycle();
    }
    assert_eq!(live_bytes(), before);
}

// Fails if circuits, hooks and registry keep each other alive.
fn nothing_leaks_on_a_drop() {
    let before = live_bytes();
    for _ in 0..100 {
        let registry = Registry::builder()
            .config_for("a", Config::default())
            .config_with(|_| Some(Config::default()))
            .on_event(|_| {})
            .build()
            .unwrap();
        for key in 0..100 {
            registry.circuit(&key).trip();
        }
        let circuit = registry.circuit("a");
        let future = circuit.call_async(async { common::Outcome::Ok(()) });
        drop(future);
        drop(registry);
        circuit.trip();
    }
    assert_eq!(live_bytes(), before);
}
