//! Law 9: hooks run outside every lock and in order for each circuit. They may call anything, and may panic.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Mutex, OnceLock, mpsc};
use std::thread;

use crate::common::{
    COOLDOWN, LEASE, call, catch, changes, config, fail, half_open, must_end, open, permit, reasons, test_bed,
    test_bed_with,
};
use breaker_core::{Circuit, CircuitOpen, Event, Evidence, Reason, Registry, State};

/// A registry whose hook uses the registry.
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

// Fails if `unlock_and_publish` keeps the lock.
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
                    // Each of these calls causes an event, which is delivered after this hook has returned.
                    circuit.reset();
                    circuit.hold_open();
                    circuit.reset();
                    // A new circuit, and a removed one.
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

// Fails if two threads deliver events of one circuit at the same time.
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

// Fails if the events that wait for a slow hook are not bounded, also behind those that are taken for delivery, or if one
// of them is dropped instead of merged.
#[test]
fn few_events_wait_for_a_hook_that_is_slower_than_the_changes() {
    const CHANGES: u64 = 5_001;
    const MOST_WAITING: usize = 1_024;
    let seen: Arc<Mutex<Vec<(State, State)>>> = Arc::default();
    let (started, has_started) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let may_go_on = Mutex::new(may_go_on);
    let registry = with_hook({
        let seen = seen.clone();
        move |_, event| {
            seen.lock().unwrap().push((event.from, event.to));
            started.send(()).unwrap();
            // The test ends this wait for each event at first, and then for all.
            let _ = may_go_on.lock().unwrap().recv();
        }
    });
    let circuit = registry.circuit("shop-7");
    thread::scope(|scope| {
        scope.spawn(|| circuit.trip());
        // While the hook is busy with the first event, and again with the second.
        for _ in 0..2 {
            has_started.recv().unwrap();
            for change in 0..CHANGES {
                if change % 2 == 0 { circuit.reset() } else { circuit.trip() }
            }
            go_on.send(()).unwrap();
        }
        drop(go_on);
    });
    let seen = seen.lock().unwrap();
    // One more began to wait when the second was taken.
    assert_eq!(seen.len(), 1 + MOST_WAITING + 1);
    assert!(circuit.snapshot().merged_events > CHANGES);
    let mut state = State::Closed;
    for (from, to) in &*seen {
        assert_eq!(*from, state, "the chain has a gap");
        state = *to;
    }
    assert_eq!(state, circuit.state());
}

/// A registry with a hook that panics, and a second hook that counts events.
fn with_panicking_hook(panic: fn()) -> (Registry, Arc<AtomicU32>) {
    let received: Arc<AtomicU32> = Arc::default();
    let counted = received.clone();
    let builder = Registry::builder().config(config(|config| config.failure_threshold(1)));
    let builder = builder.on_event(move |_| panic()).on_event(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    (builder.build().unwrap(), received)
}

// Fails if `contained` does not catch the panic.
#[test]
fn a_panicking_hook_affects_neither_callers_nor_other_hooks() {
    let (registry, received) = with_panicking_hook(|| panic!("a hook"));
    let circuit = registry.circuit("shop-7");
    fail(&circuit, 1);
    circuit.reset();
    assert_eq!(received.load(Ordering::SeqCst), 2, "the other hook receives the events nevertheless");

    // A hook that panics while the call itself unwinds has no effect on the caller either.
    assert!(catch(|| circuit.call(|| -> crate::common::Outcome { panic!("the body") })).is_err());
    assert_eq!((received.load(Ordering::SeqCst), circuit.state()), (3, State::Open));
}

struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("the payload of a hook's panic");
    }
}

// Fails if `contained` drops the payload of the panic without a guard.
#[test]
fn the_payload_of_a_hook_panic_may_panic_when_dropped() {
    let (registry, received) = with_panicking_hook(|| std::panic::panic_any(PanicsAgain));
    let circuit = registry.circuit("shop-7");
    fail(&circuit, 1);
    circuit.reset();
    assert_eq!(received.load(Ordering::SeqCst), 2);
}

// Fails if a transition causes no event, or an event with a wrong reason.
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
            (Open, Open, Reason::Held),
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

// Fails if the event of a command begins at the state of the last event instead of the one that a reader sees, or the
// other way round: a reader of the events would see a gap.
#[test]
fn a_command_after_the_cooldown_follows_the_event_of_its_end() {
    use State::{Closed, HalfOpen, Open};
    for (to, reason) in [(Closed, Reason::Reset), (Open, Reason::Tripped), (Open, Reason::Held)] {
        let bed = test_bed(|config| config.failure_threshold(1));
        let circuit = bed.registry.circuit("shop-7");
        half_open(&circuit, &bed.clock);
        bed.events.clear();
        match reason {
            Reason::Reset => circuit.reset(),
            Reason::Tripped => circuit.trip(),
            _ => circuit.hold_open(),
        }
        assert_eq!(changes(&bed.events), [(Open, HalfOpen, Reason::CooldownOver), (HalfOpen, to, reason)]);
        let waits: Vec<_> = bed.events.all().iter().map(|event| event.retry_after).collect();
        assert_eq!(waits, [None, (reason == Reason::Tripped).then_some(COOLDOWN)]);
    }
    let bed = test_bed(|config| config.failure_threshold(1));
    half_open(&bed.registry.circuit("shop-7"), &bed.clock);
    bed.events.clear();
    assert!(bed.registry.remove("shop-7"));
    assert_eq!(changes(&bed.events), [(Open, HalfOpen, Reason::CooldownOver), (HalfOpen, Closed, Reason::Reset)]);
}

// Fails if a command on an open circuit causes no event: a log would go on to promise a retry of a held circuit.
#[test]
fn a_command_on_an_open_circuit_has_an_event_with_the_new_cooldown() {
    use State::{Closed, Open};
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    open(&circuit);
    bed.clock.advance(COOLDOWN / 3);
    circuit.trip();
    bed.clock.advance(COOLDOWN / 3);
    circuit.hold_open();
    // A circuit that is held open stays held, so this has no effect.
    circuit.trip();
    circuit.reset();
    // A closed circuit stays closed, so there is nothing to tell.
    circuit.reset();
    let seen: Vec<_> =
        bed.events.all().iter().map(|event| (event.from, event.to, event.reason, event.retry_after)).collect();
    assert_eq!(
        seen,
        [
            (Closed, Open, Reason::Threshold, Some(COOLDOWN)),
            (Open, Open, Reason::Tripped, Some(COOLDOWN)),
            (Open, Open, Reason::Held, None),
            (Open, Closed, Reason::Reset, None),
        ]
    );
    assert_eq!(circuit.snapshot().times_opened, 1, "it did not open again, because it was open");
}

#[test]
fn a_hook_that_blocks_blocks_no_other_call() {
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

// Fails if a capacity event bypasses the queue of its circuit.
#[test]
fn a_registry_that_grows_over_its_capacity_publishes_an_event() {
    let bed = test_bed_with(|config| config.failure_threshold(1), |registry| registry.capacity(2));
    for connection in ["a", "b", "c", "d"] {
        open(&bed.registry.circuit(connection));
    }
    let all = reasons(&bed.events);
    assert_eq!(all.iter().filter(|reason| **reason == Reason::OverCapacity).count(), 1, "{all:?}");
    assert_eq!(bed.registry.len(), 4);
    // The event is published again after the registry has shrunk and has to grow once more.
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

// Fails if a hook runs as a part of the call that caused the event: its call would use the permit of the probe, and its failure
// would open the circuit again.
#[test]
fn the_calls_of_a_hook_are_not_inner_calls() {
    let rejected: Arc<AtomicU32> = Arc::default();
    let registry = with_hook({
        let rejected = rejected.clone();
        move |registry, event| {
            if &*event.connection.to_string() == "auth" && event.to == State::Open {
                let notified: Result<(), CircuitOpen> =
                    registry.circuit("slack").call_with(|| Ok(()), |_| Evidence::Failed);
                rejected.fetch_add(u32::from(notified.is_err()), Ordering::Relaxed);
            }
        }
    });
    let (slack, auth) = (registry.circuit("slack"), registry.circuit("auth"));
    breaker_core::testing::force(&slack, State::HalfOpen);
    let logged_in: Result<(), CircuitOpen> = slack.call(|| {
        fail(&auth, 1);
        Ok(())
    });
    logged_in.unwrap();
    assert_eq!((rejected.load(Ordering::Relaxed), slack.state()), (1, State::Closed));
}
