//! Law 9: hooks run outside every lock and in order per circuit; they may call anything, and may panic.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Mutex, OnceLock};
use std::thread;

use crate::common::{
    COOLDOWN, LEASE, call, catch, changes, config, fail, half_open, must_end, open, permit, reasons, test_bed,
    test_bed_with,
};
use breaker_core::{Circuit, Event, Evidence, Reason, Registry, State};

/// A registry whose hook gets the registry itself.
fn with_hook(hook: impl Fn(&Registry, &Event) + Send + Sync + 'static) -> Registry {
    let itself: Arc<OnceLock<Registry>> = Arc::default();
    let registry = Registry::builder()
        .config(config(|config| config.failure_threshold(1)))
        .on_event({
            let itself = itself.clone();
            move |event| hook(itself.get().expect("set below"), event)
        })
        .build()
        .unwrap();
    itself.set(registry.clone()).unwrap();
    registry
}

// Red when `unlock_and_tell` keeps the lock.
#[test]
fn a_hook_may_call_anything() {
    let seen = must_end(|| {
        let seen: Arc<Mutex<Vec<Event>>> = Arc::default();
        let registry = with_hook({
            let seen = seen.clone();
            move |registry, event| {
                seen.lock().unwrap().push(event.clone());
                let circuit = registry.circuit(&event.connection);
                let _ = (circuit.state(), circuit.snapshot(), registry.len(), registry.snapshots());
                if event.to == State::Open && event.reason == Reason::Threshold {
                    assert!(!call(&circuit, Evidence::Answered), "it is open");
                    assert!(circuit.try_acquire().is_err());
                    // Each of these is an event again, told after this hook has returned.
                    circuit.reset();
                    circuit.hold_open();
                    circuit.reset();
                    // A new circuit, and one that goes.
                    assert!(call(&registry.circuit("another"), Evidence::Answered));
                    assert!(registry.remove("another"));
                }
            }
        });
        fail(&registry.circuit("shop-7"), 1);
        let seen = seen.lock().unwrap().clone();
        seen.iter().map(|event| event.reason).collect::<Vec<_>>()
    });
    assert_eq!(seen, [Reason::Threshold, Reason::Reset, Reason::Held, Reason::Reset]);
}

// Red when two threads deliver at once, which `being_delivered` forbids.
#[test]
fn events_of_one_circuit_come_one_at_a_time_and_in_order() {
    const THREADS: usize = 4;
    let seen: Arc<Mutex<Vec<(State, State)>>> = Arc::default();
    let inside = Arc::new(AtomicU32::new(0));
    let registry = with_hook({
        let seen = seen.clone();
        move |_, event| {
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two hooks at once for one circuit");
            thread::yield_now();
            seen.lock().unwrap().push((event.from, event.to));
            inside.fetch_sub(1, Ordering::SeqCst);
        }
    });
    let circuit = registry.circuit("shop-7");
    let at_once = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                at_once.wait();
                for _ in 0..500 {
                    circuit.trip();
                    circuit.reset();
                }
            });
        }
    });
    let seen = seen.lock().unwrap();
    assert!(seen.len() >= 1_000, "only {} events", seen.len());
    let mut state = State::Closed;
    for (from, to) in &*seen {
        assert_eq!(*from, state, "an event is missing or out of order");
        state = *to;
    }
    assert_eq!(state, State::Closed);
}

/// A registry with a hook that panics and one after it that counts.
fn with_panicking_hook(panic: fn()) -> (Registry, Arc<AtomicU32>) {
    let told: Arc<AtomicU32> = Arc::default();
    let counted = told.clone();
    let builder = Registry::builder().config(config(|config| config.failure_threshold(1)));
    let builder = builder.on_event(move |_| panic()).on_event(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    (builder.build().unwrap(), told)
}

// Red when `contained` is a plain call.
#[test]
fn a_panicking_hook_harms_nobody() {
    let (registry, told) = with_panicking_hook(|| panic!("a hook"));
    let circuit = registry.circuit("shop-7");
    fail(&circuit, 1);
    circuit.reset();
    assert_eq!(told.load(Ordering::SeqCst), 2, "the other hook is told all the same");

    // Nor one that panics while the call itself unwinds.
    assert!(catch(|| circuit.call(|| -> crate::common::Outcome { panic!("the body") })).is_err());
    assert_eq!((told.load(Ordering::SeqCst), circuit.state()), (3, State::Open));
}

struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("the payload of a hook's panic");
    }
}

// Red when `contained` drops the payload unguarded.
#[test]
fn nor_does_one_whose_panic_panics_again() {
    let (registry, told) = with_panicking_hook(|| std::panic::panic_any(PanicsAgain));
    let circuit = registry.circuit("shop-7");
    fail(&circuit, 1);
    circuit.reset();
    assert_eq!(told.load(Ordering::SeqCst), 2);
}

// Red when any transition is silent, or its reason wrong.
#[test]
fn every_transition_has_its_event() {
    use State::{Closed, HalfOpen, Open};
    let bed = test_bed(|config| config.failure_threshold(2).inconclusive_probes(1));
    let circuit = bed.registry.circuit("shop-7");
    open(&circuit);
    bed.clock.advance(COOLDOWN);
    let _overtaken = permit(&circuit);
    bed.clock.advance(LEASE);
    permit(&circuit).settle(Evidence::Failed);
    bed.clock.advance(COOLDOWN);
    assert!(call(&circuit, Evidence::Unknown));
    bed.clock.advance(COOLDOWN);
    assert!(call(&circuit, Evidence::Answered));
    circuit.trip();
    circuit.hold_open();
    circuit.reset();
    circuit.hold_open();
    circuit.reset();
    assert_eq!(
        changes(&bed.events),
        [
            (Closed, Open, Reason::Threshold),
            (Open, HalfOpen, Reason::CooldownOver),
            (HalfOpen, HalfOpen, Reason::LeaseExpired),
            (HalfOpen, Open, Reason::ProbeFailed),
            (Open, HalfOpen, Reason::CooldownOver),
            (HalfOpen, Open, Reason::Inconclusive),
            (Open, HalfOpen, Reason::CooldownOver),
            (HalfOpen, Closed, Reason::ProbeSucceeded),
            (Closed, Open, Reason::Tripped),
            (Open, Closed, Reason::Reset),
            (Closed, Open, Reason::Held),
            (Open, Closed, Reason::Reset),
        ]
    );
    assert!(bed.events.all().iter().all(|event| event.connection == "shop-7"));

    let bed = test_bed(|config| config.failure_threshold(100).failure_rate(0.5, 4, COOLDOWN));
    fail(&bed.registry.circuit("shop-7"), 4);
    assert_eq!(changes(&bed.events), [(Closed, Open, Reason::Rate)]);
}

#[test]
fn a_hook_that_waits_stops_no_other_call() {
    must_end(|| {
        let (entered, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let registry = with_hook({
            let (entered, leave) = (entered.clone(), leave.clone());
            move |_, event| {
                if event.reason == Reason::Threshold {
                    entered.wait();
                    leave.wait();
                }
            }
        });
        let circuit: Circuit = registry.circuit("shop-7");
        thread::scope(|scope| {
            scope.spawn(|| fail(&circuit, 1));
            entered.wait();
            assert_eq!(circuit.state(), State::Open);
            assert!(circuit.try_acquire().is_err());
            circuit.reset();
            assert!(call(&circuit, Evidence::Answered));
            assert!(call(&registry.circuit("another"), Evidence::Answered));
            leave.wait();
        });
        half_open_by_trip(&circuit);
    });
}

fn half_open_by_trip(circuit: &Circuit) {
    circuit.trip();
    assert_eq!(circuit.state(), State::Open);
}

// Red when an event about capacity is told past the circuit's own queue.
#[test]
fn the_registry_says_so_when_it_has_to_grow() {
    let bed = test_bed_with(|config| config.failure_threshold(1), |registry| registry.capacity(2));
    for connection in ["a", "b", "c", "d"] {
        open(&bed.registry.circuit(connection));
    }
    let all = reasons(&bed.events);
    assert_eq!(all.iter().filter(|reason| **reason == Reason::OverCapacity).count(), 1, "{all:?}");
    assert_eq!(bed.registry.len(), 4);
    // When it has shrunk and must grow again, it says so again.
    bed.clock.advance(COOLDOWN);
    drop(bed.registry.circuit("e"));
    assert_eq!(bed.registry.len(), 2);
    bed.registry.circuit("e").hold_open();
    for connection in ["f", "g"] {
        open(&bed.registry.circuit(connection));
    }
    let all = reasons(&bed.events);
    assert_eq!(all.iter().filter(|reason| **reason == Reason::OverCapacity).count(), 2, "{all:?}");
    half_open(&bed.registry.circuit("h"), &bed.clock);
}
