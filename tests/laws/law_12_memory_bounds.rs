//! Law 12: the registry is bounded, and a key never has two circuits. `memory.rs` measures the bytes.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{
    COOLDOWN, CallError, LEASE, Outcome, SECOND, TICK, call, config, fail, half_open, just_before, open, permit,
    test_bed, test_bed_with,
};
use breaker_core::testing::{EventLog, ManualClock, TestBed};
use breaker_core::{Circuit, Config, Connection, Evidence, Key, Registry, State};

const IDLE: Duration = Duration::from_secs(700);

fn small(capacity: usize) -> TestBed {
    test_bed_with(|config| config.failure_threshold(2), |registry| registry.capacity(capacity).idle_after(100 * IDLE))
}

fn keys(registry: &Registry) -> Vec<String> {
    let mut keys: Vec<_> = registry.snapshots().iter().map(|snapshot| snapshot.connection.to_string()).collect();
    keys.sort();
    keys
}

// Fails if circuits never become idle, or if `is_expired` checks only the age.
#[test]
fn a_circuit_unused_for_idle_after_is_evicted() {
    let bed =
        test_bed_with(|config| config.failure_threshold(2).cooldown(4 * IDLE), |registry| registry.idle_after(IDLE));
    let registry = &bed.registry;
    drop(registry.circuit("quiet"));
    fail(&registry.circuit("failed once"), 1);
    open(&registry.circuit("in cooldown"));
    registry.circuit("held open").hold_open();
    let in_hand = registry.circuit("in hand");

    bed.clock.advance(just_before(IDLE));
    assert_eq!(registry.len(), 5);
    bed.clock.advance(TICK);
    assert_eq!(keys(registry), ["held open", "in cooldown", "in hand"]);
    assert_eq!(registry.circuit("failed once").snapshot().streak, 0, "it is a new one");
    assert_eq!(registry.get("in hand"), Some(in_hand));

    bed.clock.advance(3 * IDLE);
    assert_eq!(registry.get("in cooldown"), None, "its cooldown is over, and it is long idle");
    assert_eq!(registry.get("held open").map(|circuit| circuit.state()), Some(State::Open));
}

// Fails if a look-up or a result does not count as a use.
#[test]
fn a_call_counts_as_a_use() {
    let bed = test_bed_with(|config| config, |registry| registry.idle_after(IDLE));
    let circuit = bed.registry.circuit("shop-7");
    fail(&circuit, 1);
    for _ in 0..10 {
        bed.clock.advance(IDLE.mul_f64(0.99));
        assert!(call(&bed.registry.circuit("shop-7"), Evidence::Unknown));
    }
    drop(circuit);
    assert_eq!(bed.registry.circuit("shop-7").snapshot().streak, 1, "it is still the same one");
}

// Fails if the end of a call does not count as a use, because its result is only counted.
#[test]
fn the_end_of_a_call_counts_as_a_use() {
    let bed = test_bed_with(|config| config, |registry| registry.idle_after(IDLE));
    let marked: Outcome = Err(CallError::NotFound);
    for result in [Err(CallError::Down), marked, Err(CallError::Busy)] {
        let circuit = bed.registry.circuit("shop-7");
        let _: Outcome = circuit.call(|| {
            bed.clock.advance(IDLE.mul_f64(0.99));
            result
        });
        drop(circuit);
        bed.clock.advance(IDLE.mul_f64(0.99));
        assert!(bed.registry.get("shop-7").is_some());
        bed.clock.advance(IDLE);
        assert!(bed.registry.get("shop-7").is_none());
    }
}

// Fails if the order of `EvictionRank` changes, or if the age is compared first.
#[test]
fn over_capacity_the_lowest_rank_is_evicted_first() {
    let bed = small(4);
    let registry = &bed.registry;
    half_open(&registry.circuit("cooldown over"), &bed.clock);
    bed.clock.advance(TICK);
    fail(&registry.circuit("streak"), 1);
    for connection in ["older", "newer"] {
        bed.clock.advance(IDLE);
        drop(registry.circuit(connection));
    }
    let fill = |connection: &str| {
        bed.clock.advance(IDLE);
        // A circuit in its cooldown is never evicted.
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
    assert_eq!(registry.len(), 5, "if no circuit can be evicted, the registry grows");
}

// Fails if the time of the last use is so imprecise that one second makes no difference.
#[test]
fn the_longest_idle_is_evicted_first_however_short_the_difference() {
    for step in [Duration::from_millis(1), SECOND] {
        let bed = small(2);
        for _ in 0..10 {
            for connection in ["a", "b", "a", "c"] {
                drop(bed.registry.circuit(connection));
                bed.clock.advance(step);
            }
            assert_eq!(keys(&bed.registry), ["a", "c"]);
            assert!(bed.registry.remove("c"));
        }
    }
}

// Fails if an insert does not visit all circuits between two evictions and the order of eviction depends on what it saw.
#[test]
fn the_order_of_eviction_holds_in_a_large_registry() {
    const CAPACITY: u32 = 3_000;
    let bed = small(CAPACITY as usize);
    let registry = &bed.registry;
    let insert = |key: u32| {
        bed.clock.advance(Duration::from_millis(2));
        drop(registry.circuit(&key));
    };
    for key in 0..CAPACITY {
        insert(key);
        // The first ones are of a higher rank.
        if key < 100 {
            fail(&registry.circuit(&key), 1);
        }
    }
    // The next ones are used again, so they are younger than all others.
    (100..200).for_each(insert);
    let order: Vec<_> = (200..CAPACITY).chain(100..200).chain(CAPACITY..3 * CAPACITY).collect();
    for key in CAPACITY..2 * CAPACITY + 500 {
        insert(key);
        let evicted = key as usize + 1 - registry.len();
        assert!(registry.len() <= CAPACITY as usize + 10, "{} circuits after {key} keys", registry.len());
        assert!(
            evicted == 0 || registry.get(&order[evicted - 1]).is_none(),
            "{evicted} evicted, the last not in order"
        );
        assert!(registry.get(&order[evicted]).is_some(), "{evicted} evicted, one too early");
    }
    assert_eq!(registry.len(), CAPACITY as usize);
    assert!((0..100).all(|key| registry.get(&key).is_some()), "a circuit with a streak was evicted");
}

// Fails if a victim is evicted by the rank that it had when the victims were selected.
#[test]
fn a_victim_that_fails_meanwhile_is_kept() {
    let bed = small(64);
    for key in 0..65 {
        drop(bed.registry.circuit(&key));
    }
    // Half of the remaining circuits fail, and the clock does not advance.
    for key in keys(&bed.registry).iter().take(32) {
        fail(&bed.registry.circuit(key), 1);
    }
    for key in 100..130 {
        drop(bed.registry.circuit(&key));
    }
    let failed = bed.registry.snapshots().iter().filter(|snapshot| snapshot.streak == 1).count();
    assert_eq!(failed, 32, "a circuit without a streak is evicted first");
}

// Fails if `evictable_rank` allows the eviction of a circuit that is in its cooldown, under probe or held by a caller.
#[test]
fn circuits_that_must_be_kept_survive_many_inserts() {
    let bed = small(8);
    let registry = &bed.registry;
    half_open(&registry.circuit("under probe"), &bed.clock);
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
        assert!(kept.contains(&key.to_owned()), "{key} was evicted: {kept:?}");
    }
    assert_eq!(registry.circuit("in hand"), in_hand);
    assert_eq!(registry.circuit("in cooldown").state(), State::Open);
    probe.settle(Evidence::Answered);
    assert_eq!(registry.circuit("under probe").state(), State::Closed);
}

// Fails if `is_unheld` is not checked.
#[test]
fn a_held_circuit_stays_the_only_one_of_its_key() {
    let bed = test_bed_with(|config| config.failure_threshold(2), |registry| registry.capacity(1).idle_after(IDLE));
    let handle = bed.registry.circuit("shop-7");
    for key in 0..100 {
        bed.clock.advance(IDLE);
        // Each of these circuits has a higher rank than the held one, which would be evicted first.
        fail(&bed.registry.circuit(&key), 1);
    }
    assert_eq!(bed.registry.circuit("shop-7"), handle);
    fail(&handle, 1);

    assert!(bed.registry.remove("shop-7"));
    assert_eq!(bed.registry.get("shop-7"), None);
    assert_eq!(bed.registry.circuit("shop-7"), handle, "asked for again, it is that one");
    assert_eq!(handle.snapshot().streak, 0, "and it was reset");
    drop(handle);
    assert!(bed.registry.remove("shop-7"));
    assert!(!bed.registry.remove("shop-7"));
}

// Fails if a removed circuit is returned with what was recorded after its removal.
#[test]
fn a_removed_circuit_is_dropped_with_its_last_handle() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let handle = bed.registry.circuit("shop-7");
    assert!(bed.registry.remove("shop-7"));
    handle.hold_open();
    drop(handle);
    assert_eq!(bed.registry.len(), 0);
    let fresh = bed.registry.circuit("shop-7").snapshot();
    assert_eq!((fresh.state, fresh.times_opened), (State::Closed, 0));
}

// The slot of a probe belongs to the circuit. After the lease, the circuit can be evicted once its last handle is
// dropped.
#[test]
fn a_forgotten_probe_does_not_keep_a_circuit_in_its_cooldown() {
    let bed = small(1);
    let circuit = bed.registry.circuit("shop-7");
    half_open(&circuit, &bed.clock);
    drop(permit(&circuit));
    drop(circuit);
    bed.clock.advance(LEASE);
    drop(bed.registry.circuit("another"));
    assert_eq!(keys(&bed.registry), ["another"]);
}

// Fails if a look-up relies on what it saw before it took the lock, or if an idle circuit with a handle is replaced.
#[test]
fn races_never_create_two_circuits_of_one_key() {
    for (capacity, idle) in [(1, 1_000 * IDLE), (1_000, Duration::from_nanos(1)), (1, Duration::from_nanos(1))] {
        let bed = test_bed_with(|config| config, |registry| registry.capacity(capacity).idle_after(idle));
        let (registry, clock) = (&bed.registry, &bed.clock);
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

// Fails if a second insert of a key replaces the circuit of the first.
#[test]
fn concurrent_first_callers_share_one_circuit() {
    let bed = test_bed(|config| config);
    for key in 0..3_000 {
        let at_once = Barrier::new(3);
        let found = thread::scope(|scope| {
            let threads = [(); 3].map(|()| {
                scope.spawn(|| {
                    at_once.wait();
                    bed.registry.circuit(&key)
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(found.iter().all(|circuit| *circuit == found[0]), "two circuits of key {key}");
    }
}

// Fails if the next scan of an overgrown registry waits for the size from before its victims were evicted.
#[test]
fn an_overgrown_registry_evicts_with_each_insert() {
    let bed = small(1);
    let registry = &bed.registry;
    let mut in_hand: Vec<_> = (0..10).map(|key| registry.circuit(&key)).collect();
    for key in 10..30 {
        let kept = in_hand.split_off(in_hand.len() / 2);
        in_hand = kept;
        in_hand.push(registry.circuit(&key));
        assert_eq!(registry.len(), in_hand.len());
    }
}

// Fails if an insert skips the eviction because another thread evicts, however many circuits there are.
#[test]
fn threads_that_insert_at_once_stay_near_the_capacity() {
    const CAPACITY: usize = 100;
    let registry = small(CAPACITY).registry;
    let most = thread::scope(|scope| {
        let insert = |thread| {
            let registry = &registry;
            move || (0..10_000).for_each(|key| drop(registry.circuit(&(thread, key))))
        };
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(insert(thread))).collect();
        let mut most = 0;
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            most = most.max(registry.len());
        }
        most
    });
    assert!(most <= 2 * CAPACITY, "{most} circuits");
}

// Fails if the tables stay as large as they were once, so that a search finds fewer circuits than are inserted.
#[test]
fn a_registry_returns_to_its_capacity_after_an_outage_of_many_connections() {
    const CAPACITY: usize = 100;
    let bed = small(CAPACITY);
    for key in 0..150_000 {
        bed.registry.circuit(&("down", key)).trip();
    }
    bed.clock.advance(COOLDOWN);
    for key in 0..100_000 {
        drop(bed.registry.circuit(&("up", key)));
    }
    assert!(bed.registry.len() <= CAPACITY, "{} circuits", bed.registry.len());
}

// Fails if each insert into an overgrown registry scans all circuits. The test then takes minutes.
#[test]
fn an_overgrown_registry_is_not_scanned_on_each_insert() {
    let bed = small(1_000);
    for key in 0..60_000 {
        open(&bed.registry.circuit(&key));
    }
    assert_eq!(bed.registry.len(), 60_000);
    bed.clock.advance(COOLDOWN);
    for key in 60_000..70_000 {
        drop(bed.registry.circuit(&key));
    }
    assert_eq!(bed.registry.len(), 1_000);
}

#[test]
fn a_handle_outlives_its_registry() {
    // Not a `TestBed`, because it keeps its registry until the process ends.
    let events = EventLog::new();
    let settings = config(|config| config.failure_threshold(1));
    let registry = Registry::builder().config(settings).clock(ManualClock::new()).on_event(events.hook());
    let registry = registry.build().unwrap();
    let circuit: Circuit = registry.circuit("shop-7");
    drop(registry);
    open(&circuit);
    assert_eq!(events.all().len(), 1);
    let alone = Circuit::new("alone", Config::default());
    assert!(call(&alone, Evidence::Answered));
}

/// A connection that stores its circuit.
struct Shop(Circuit);

impl Connection for Shop {
    fn key(&self) -> Key<'_> {
        self.0.key()
    }

    fn circuit(&self) -> Option<&Circuit> {
        Some(&self.0)
    }
}

// Fails if a method of a registry acts on a circuit without a check that the circuit is its own.
#[test]
fn a_registry_acts_on_its_own_circuits_only() {
    let (one, other) = (small(10), small(10));
    let own = one.registry.circuit("shop-7");
    let namesake = other.registry.circuit("shop-7");
    let standalone = Circuit::new("shop-7", Config::default());
    for foreign in [&namesake, &standalone] {
        foreign.hold_open();
        own.hold_open();
        let shop = Shop(foreign.clone());
        assert_eq!(one.registry.get(foreign), None);
        assert_eq!(one.registry.get(&&Box::new(foreign)), None);
        assert_eq!(one.registry.get(&shop), None);
        assert!(!one.registry.reset(foreign) && !one.registry.reset(&shop));
        assert!(!one.registry.remove(foreign) && !one.registry.remove(&shop));
        assert_eq!((foreign.state(), own.state()), (State::Open, State::Open));
        assert_eq!((keys(&one.registry).len(), keys(&other.registry).len()), (1, 1));
        // The circuit is the connection, so there is nothing to look up.
        assert_eq!(&one.registry.circuit(foreign), foreign);
        assert_eq!(one.registry.len(), 1);
    }
    assert_eq!(one.registry.get(&own), Some(own.clone()));
    assert!(one.registry.reset(&Shop(own.clone())));
    assert_eq!(own.state(), State::Closed);
    assert!(one.registry.remove(&own));
    assert!(one.registry.is_empty());
    // A removed circuit is not in the registry until its key is looked up again.
    assert_eq!(one.registry.get(&own), None);
    assert!(!one.registry.remove(&own) && !one.registry.reset(&own));
    assert_eq!(one.registry.circuit("shop-7"), own);
    assert_eq!(one.registry.get(&own), Some(own));
}
