//! Law 12: the registry is bounded, and there never are two circuits of one key. (`memory.rs` measures the bytes.)

mod common;

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use breaker_core::{Circuit, Config, Evidence, Registry, State};
use common::{COOLDOWN, LEASE, SECOND, TICK, World, call, fail, half_open, just_before, open, permit};

const IDLE: Duration = Duration::from_secs(700);

fn small(capacity: usize) -> World {
    World::with(|config| config.failure_threshold(2), |registry| registry.capacity(capacity).idle_after(100 * IDLE))
}

fn keys(registry: &Registry) -> Vec<String> {
    let mut keys: Vec<_> = registry.snapshots().iter().map(|snapshot| snapshot.connection.to_string()).collect();
    keys.sort();
    keys
}

// Red when nothing is idle ever, or `is_gone` looks at the age alone.
#[test]
fn what_nobody_called_for_idle_after_goes() {
    let world =
        World::with(|config| config.failure_threshold(2).cooldown(4 * IDLE), |registry| registry.idle_after(IDLE));
    let registry = &world.registry;
    drop(registry.circuit("quiet"));
    fail(&registry.circuit("failed once"), 1);
    open(&registry.circuit("in cooldown"));
    registry.circuit("held open").hold_open();
    let in_hand = registry.circuit("in hand");

    world.clock.advance(just_before(IDLE));
    assert_eq!(registry.len(), 5);
    world.clock.advance(TICK);
    assert_eq!(keys(registry), ["held open", "in cooldown", "in hand"]);
    assert_eq!(registry.circuit("failed once").snapshot().streak, 0, "it is a new one");
    assert_eq!(registry.get("in hand"), Some(in_hand));

    world.clock.advance(3 * IDLE);
    assert_eq!(registry.get("in cooldown"), None, "its cooldown is over, and it is long idle");
    assert_eq!(registry.get("held open").map(|circuit| circuit.state()), Some(State::Open));
}

// Red when a look-up or a result does not count as a call.
#[test]
fn a_call_keeps_a_circuit() {
    let world = World::with(|config| config, |registry| registry.idle_after(IDLE));
    let circuit = world.circuit();
    fail(&circuit, 1);
    for _ in 0..10 {
        world.clock.advance(IDLE.mul_f64(0.99));
        assert!(call(&world.circuit(), Evidence::Unknown));
    }
    drop(circuit);
    assert_eq!(world.circuit().snapshot().streak, 1, "it is still the same one");
}

// Red when the order of `Standing` changes, or age is looked at first.
#[test]
fn over_capacity_the_least_worth_keeping_go_first() {
    let world = small(4);
    let registry = &world.registry;
    half_open(&registry.circuit("cooldown over"), &world.clock);
    world.clock.advance(TICK);
    fail(&registry.circuit("streak"), 1);
    for connection in ["older", "newer"] {
        world.clock.advance(IDLE);
        drop(registry.circuit(connection));
    }
    let fill = |connection: &str| {
        world.clock.advance(IDLE);
        // In its cooldown it never goes.
        registry.circuit(connection).hold_open();
        assert_eq!(registry.len(), 4);
    };
    fill("1");
    assert_eq!(keys(registry), ["1", "cooldown over", "newer", "streak"]);
    fill("2");
    assert_eq!(keys(registry), ["1", "2", "cooldown over", "streak"]);
    fill("3");
    assert_eq!(keys(registry), ["1", "2", "3", "cooldown over"]);
    fill("4");
    assert_eq!(keys(registry), ["1", "2", "3", "4"]);
    registry.circuit("5").hold_open();
    assert_eq!(registry.len(), 5, "if none may go, the registry grows");
}

// Red when the moment of the last call is kept so roughly that a second makes no difference.
#[test]
fn the_longest_idle_goes_however_short_the_difference() {
    for step in [Duration::from_millis(1), SECOND] {
        let world = small(2);
        for _ in 0..10 {
            for connection in ["a", "b", "a", "c"] {
                drop(world.registry.circuit(connection));
                world.clock.advance(step);
            }
            assert_eq!(keys(&world.registry), ["a", "c"]);
            assert!(world.registry.remove("c"));
        }
    }
}

// Red when a victim goes by what it was when the victims were chosen.
#[test]
fn a_victim_that_fails_meanwhile_is_worth_more() {
    let world = small(64);
    for key in 0..65 {
        drop(world.registry.circuit(&key));
    }
    // Half of what is left fails, and the clock has not moved.
    for key in keys(&world.registry).iter().take(32) {
        fail(&world.registry.circuit(key), 1);
    }
    for key in 100..130 {
        drop(world.registry.circuit(&key));
    }
    let failed = world.registry.snapshots().iter().filter(|snapshot| snapshot.streak == 1).count();
    assert_eq!(failed, 32, "one without a streak should have gone instead");
}

// Red when `may_go` lets a circuit go that is in its cooldown, under probe or in somebody's hands.
#[test]
fn what_may_not_go_survives_a_flood() {
    let world = small(8);
    let registry = &world.registry;
    half_open(&registry.circuit("under probe"), &world.clock);
    let probe = permit(&registry.circuit("under probe"));
    open(&registry.circuit("in cooldown"));
    registry.circuit("held open").hold_open();
    let in_hand = registry.circuit("in hand");
    for key in 0..10_000 {
        let circuit = registry.circuit(&key);
        if key % 2 == 0 {
            fail(&circuit, 1);
        }
        drop(circuit);
        assert!(registry.len() <= 8, "{} circuits after {key} keys", registry.len());
    }
    let kept = keys(registry);
    for key in ["held open", "in cooldown", "in hand", "under probe"] {
        assert!(kept.contains(&key.to_owned()), "{key} is gone: {kept:?}");
    }
    assert_eq!(registry.circuit("in hand"), in_hand);
    assert_eq!(registry.circuit("in cooldown").state(), State::Open);
    probe.settle(Evidence::Answered);
    assert_eq!(registry.circuit("under probe").state(), State::Closed);
}

// Red when `is_sole_handle` is left out.
#[test]
fn a_handle_stays_the_one_circuit_of_its_key() {
    let world = World::with(|config| config.failure_threshold(2), |registry| registry.capacity(1).idle_after(IDLE));
    let handle = world.circuit();
    for key in 0..100 {
        world.clock.advance(IDLE);
        // Each is worth more than the one in hand, which would be the first to go.
        fail(&world.registry.circuit(&key), 1);
    }
    assert_eq!(world.circuit(), handle);
    fail(&handle, 1);

    assert!(world.registry.remove("shop-7"));
    assert_eq!(world.registry.get("shop-7"), None);
    assert_eq!(world.circuit(), handle, "asked for again, it is that one");
    assert_eq!(handle.snapshot().streak, 0, "and it was reset");
    drop(handle);
    assert!(world.registry.remove("shop-7"));
    assert!(!world.registry.remove("shop-7"));
}

// Red when a removed circuit comes back with what was done to it after it was removed.
#[test]
fn a_removed_circuit_is_forgotten_with_its_last_handle() {
    let world = World::new(|config| config.failure_threshold(2));
    let handle = world.circuit();
    assert!(world.registry.remove("shop-7"));
    handle.hold_open();
    drop(handle);
    assert_eq!(world.registry.len(), 0);
    let fresh = world.circuit().snapshot();
    assert_eq!((fresh.state, fresh.times_opened), (State::Closed, 0));
}

// A probe's slot is the circuit's, so a lease that ran out lets the circuit go once nobody holds it.
#[test]
fn a_forgotten_probe_does_not_keep_a_circuit_in_its_cooldown() {
    let world = small(1);
    let circuit = world.circuit();
    half_open(&circuit, &world.clock);
    drop(permit(&circuit));
    drop(circuit);
    world.clock.advance(LEASE);
    drop(world.registry.circuit("another"));
    assert_eq!(keys(&world.registry), ["another"]);
}

// Red when a look-up trusts what it saw before it had the lock, or an idle circuit is replaced that somebody holds.
#[test]
fn never_two_circuits_of_one_key_whatever_races() {
    for (capacity, idle) in [(1, 1_000 * IDLE), (1_000, Duration::from_nanos(1)), (1, Duration::from_nanos(1))] {
        let world = World::with(|config| config, |registry| registry.capacity(capacity).idle_after(idle));
        let (registry, clock) = (&world.registry, &world.clock);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut key = 0_u64;
                while !stop.load(Ordering::Relaxed) {
                    key += 1;
                    clock.advance(Duration::from_micros(1));
                    drop(registry.circuit(&(key % 64)));
                    if key.is_multiple_of(7) {
                        registry.remove("shared");
                    }
                }
            });
            let same = |round: u32| {
                let mine = registry.circuit("shared");
                let yours = registry.circuit("shared");
                assert_eq!(mine, yours, "two circuits of one key in round {round}");
                if let Some(found) = registry.get("shared") {
                    assert_eq!(mine, found);
                }
                (mine, yours)
            };
            let other = scope.spawn(move || (0..20_000).for_each(|round| drop(same(round))));
            (0..20_000).for_each(|round| drop(same(round)));
            other.join().unwrap();
            stop.store(true, Ordering::Relaxed);
        });
    }
}

// Red when a second insert of a key replaces the first one's circuit.
#[test]
fn callers_who_come_first_at_the_same_time_share_one_circuit() {
    let world = World::new(|config| config);
    for key in 0..3_000 {
        let at_once = Barrier::new(3);
        let found = thread::scope(|scope| {
            let threads = [(); 3].map(|()| {
                scope.spawn(|| {
                    at_once.wait();
                    world.registry.circuit(&key)
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(found.iter().all(|circuit| *circuit == found[0]), "two circuits of key {key}");
    }
}

// Red when the next look at an overgrown registry waits for the size that it had before its victims went.
#[test]
fn an_overgrown_registry_lets_go_what_may_go_with_each_insert() {
    let world = small(1);
    let registry = &world.registry;
    let mut in_hand: Vec<_> = (0..10).map(|key| registry.circuit(&key)).collect();
    for key in 10..30 {
        let kept = in_hand.split_off(in_hand.len() / 2);
        in_hand = kept;
        in_hand.push(registry.circuit(&key));
        assert_eq!(registry.len(), in_hand.len());
    }
}

// Red when each insert into an overgrown registry looks at all circuits: this takes minutes then.
#[test]
fn an_overgrown_registry_stays_quick() {
    let world = small(1_000);
    for key in 0..60_000 {
        open(&world.registry.circuit(&key));
    }
    assert_eq!(world.registry.len(), 60_000);
    world.clock.advance(COOLDOWN);
    for key in 60_000..70_000 {
        drop(world.registry.circuit(&key));
    }
    assert_eq!(world.registry.len(), 1_000);
}

#[test]
fn a_handle_outlives_its_registry() {
    let world = World::new(|config| config.failure_threshold(1));
    let circuit: Circuit = world.circuit();
    drop(world.registry);
    open(&circuit);
    assert_eq!(world.events.all().len(), 1);
    let alone = Circuit::new("alone", Config::default());
    assert!(call(&alone, Evidence::Answered));
}
