//! Law 12, in bytes: memory stays flat however many connections come and go, and no change of state and no drop leaks.
//!
//! One test, because the allocator counts for the whole process.

mod common;

use std::alloc::System;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

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
    the_cache_of_a_thread_stays_within_its_budget();
    one_call_frees_a_bounded_number_of_idle_circuits();
    an_insert_at_capacity_allocates_a_bounded_number_of_bytes();
    a_storm_of_rejections_allocates_nothing();
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

/// Looks up each circuit often enough that the cache of the thread contains as many as fit.
fn fill_cache(registry: &Registry, circuits: u32) {
    for _ in 0..4 {
        (0..circuits).for_each(|key| drop(registry.circuit(&key)));
    }
    // The circuits that replace each other in the cache have to be looked up twice in a row.
    (0..circuits).for_each(|key| (0..4).for_each(|_| drop(registry.circuit(&key))));
}

/// Runs `before` on other threads, which stay alive until `after` has returned.
fn beside_threads<T>(threads: u32, before: impl Fn(u32) + Sync, after: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let threads: Vec<_> = (0..threads)
            .map(|number| {
                let (finish, is_finished) = mpsc::channel::<()>();
                let (ready, before) = (ready.clone(), &before);
                let thread = scope.spawn(move || {
                    before(number);
                    ready.send(()).unwrap();
                    let _ = is_finished.recv();
                });
                // One after the other, so that each run allocates the same.
                is_ready.recv().unwrap();
                (finish, thread)
            })
            .collect();
        let result = after();
        for (finish, thread) in threads {
            drop(finish);
            // Unlike the end of the scope, this waits until the thread has dropped its cache.
            thread.join().unwrap();
        }
        result
    })
}

/// The bytes for each of these threads that the cache takes, with the handles that it shares with other threads.
fn bytes_of_a_cache(threads: u32, circuits: u32) -> usize {
    let registry = Registry::builder().capacity(10_000).build().unwrap();
    let bytes_of_threads = |circuits| {
        (0..circuits).for_each(|key| drop(registry.circuit(&key)));
        let before = live_bytes();
        beside_threads(threads, |_| fill_cache(&registry, circuits), || live_bytes() - before)
    };
    // A thread itself takes some bytes, too.
    let without = bytes_of_threads(0);
    (bytes_of_threads(circuits) - without) / threads as usize
}

// Fails if the table of a thread grows, if its entries do, or if each thread has handles of its own again.
fn the_cache_of_a_thread_stays_within_its_budget() {
    const KIB: usize = 1_024;
    let [one, full, shared] = [(1, 1), (1, 5_000), (64, 5_000)].map(|(threads, circuits)| {
        let bytes = bytes_of_a_cache(threads, circuits);
        println!("the cache of a thread: {bytes} bytes, {threads} threads that call {circuits} circuits");
        bytes
    });
    assert!(one <= 10 * KIB, "{one} bytes for a cache of one circuit");
    assert!(full <= 44 * KIB, "{full} bytes for a full cache");
    assert!(shared <= 32 * KIB, "{shared} bytes for a full cache whose handles other threads share");
}

// Fails if one call removes all idle circuits, or empties the caches of all threads.
fn one_call_frees_a_bounded_number_of_idle_circuits() {
    const CIRCUITS: u32 = 5_000;
    /// A circuit, its key, and the handle of a cache in its list.
    const BLOCKS: usize = 4;
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(clock.clone()).build().unwrap();
    beside_threads(
        8,
        |_| fill_cache(&registry, CIRCUITS),
        || {
            clock.advance(Duration::from_hours(2));
            let mut frees = Vec::with_capacity(CIRCUITS as usize);
            for key in CIRCUITS..2 * CIRCUITS {
                let before = ALLOCATOR.stats().deallocations;
                drop(registry.circuit(&key));
                frees.push(ALLOCATOR.stats().deallocations - before);
                if key == CIRCUITS {
                    assert_eq!(registry.len(), 1, "idle circuits do not count, removed or not");
                }
            }
            let most = *frees.iter().max().unwrap();
            assert!(most <= 64 * BLOCKS, "{most} blocks freed by one call");
            let all: usize = frees.iter().sum();
            assert!(all >= 2 * CIRCUITS as usize, "{all} blocks freed: idle circuits were kept");
        },
    );
}

// Fails if each rejection is allocated, also if the clock advances between them.
fn a_storm_of_rejections_allocates_nothing() {
    let clock = ManualClock::new();
    let circuit = |clock: &ManualClock| Circuit::with_clock("shop-7", config(|config| config), clock.clone());
    let [in_cooldown, held, full] = [(); 3].map(|()| circuit(&clock));
    let by_system_clock = Circuit::new("shop-7", config(|config| config));
    full.trip();
    clock.advance(COOLDOWN);
    let probe = full.try_acquire().unwrap();
    in_cooldown.trip();
    held.hold_open();
    by_system_clock.trip();
    for circuit in [&in_cooldown, &held, &full, &by_system_clock] {
        let storm = || {
            for _ in 0..100 {
                assert!(!call(circuit, Evidence::Answered));
                clock.advance(Duration::from_millis(1));
            }
        };
        storm();
        let before = ALLOCATOR.stats().allocations;
        storm();
        assert_eq!(ALLOCATOR.stats().allocations, before);
    }
    // Rejections of many circuits in turn replace each other, which leaks nothing.
    let circuits: Vec<_> = (0..200).map(|_| circuit(&clock)).collect();
    circuits.iter().for_each(Circuit::trip);
    let in_turn = || circuits.iter().for_each(|circuit| assert!(!call(circuit, Evidence::Answered)));
    in_turn();
    let before = live_bytes();
    (0..10).for_each(|_| in_turn());
    assert_eq!(live_bytes(), before);
    probe.settle(Evidence::Answered);
}

// Fails if an insert over the capacity examines all circuits, because it collects what it finds.
fn an_insert_at_capacity_allocates_a_bounded_number_of_bytes() {
    const CAPACITY: u32 = 50_000;
    const MOST: usize = 64 * 1_024;
    let registry = Registry::builder().capacity(CAPACITY as usize).build().unwrap();
    for key in 0..2 * CAPACITY {
        let before = ALLOCATOR.stats().bytes_allocated;
        drop(registry.circuit(&key));
        let bytes = ALLOCATOR.stats().bytes_allocated - before;
        assert!(bytes <= MOST, "{bytes} bytes allocated by insert {key}");
    }
    assert_eq!(registry.len(), CAPACITY as usize);
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
