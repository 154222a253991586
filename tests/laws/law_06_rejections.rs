//! Law 6: a rejection is never evidence, neither for its own circuit nor for an outer one.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::common::{COOLDOWN, CallError, LEASE, Outcome, SECOND, call, config, fail, half_open, permit, test_bed};
use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, CircuitOpen, Connection, Evidence, Key, ProvesReachable, RejectionReason, State, breaker};

// Fails if a rejected call is settled, or if the judge receives a rejection.
#[test]
fn a_rejection_is_not_evidence_for_its_own_circuit() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    circuit.trip();
    let before = circuit.snapshot();
    for _ in 0..10 {
        assert!(!call(&circuit, Evidence::Failed));
        let judged: Outcome = circuit.call_with(|| Ok(()), |_| panic!("a rejection was judged"));
        assert!(judged.is_err());
    }
    let after = circuit.snapshot();
    assert_eq!(after.rejected, 20);
    assert_eq!(after.retry_after, before.retry_after);
    assert_eq!((after.failed, after.unknown, after.stale, after.dropped), (0, 0, 0, 0));
}

// Fails if the time is computed when the call is rejected, or if a probe in flight promises one.
#[test]
fn retry_after_is_what_is_left_of_the_cooldown() {
    let bed = test_bed(|config| config.failure_threshold(1));
    let circuit = bed.registry.circuit("shop-7");
    circuit.trip();
    let open = circuit.try_acquire().unwrap_err();
    bed.clock.advance(COOLDOWN / 3);
    assert_eq!(open.retry_after(), Some(COOLDOWN * 2 / 3));
    assert!(open.to_string().ends_with("; retry in 60 s"), "{open}");
    bed.clock.advance(COOLDOWN);
    assert_eq!(open.retry_after(), Some(Duration::ZERO));

    let probe = permit(&circuit);
    let rejected = circuit.try_acquire().unwrap_err();
    assert_eq!((rejected.reason(), rejected.retry_after()), (RejectionReason::ProbeInFlight, None));
    assert_eq!(rejected.to_string(), "the circuit of connection `shop-7` is half-open (probe in flight)");
    drop(probe);

    circuit.hold_open();
    assert_eq!(circuit.try_acquire().unwrap_err().retry_after(), None);

    // A stored rejection keeps the clock and not the circuit.
    drop(circuit);
    assert!(bed.registry.remove("shop-7"));
    assert!(bed.registry.get("shop-7").is_none());
    assert_eq!(open.retry_after(), Some(Duration::ZERO));
}

#[breaker(connection = circuit)]
fn order(circuit: &Circuit) -> Outcome {
    Ok(())
}

#[breaker(connection = circuit, probe = false)]
fn browse(circuit: &Circuit) -> Outcome {
    Ok(())
}

/// A connection whose circuits share the text of its key.
struct SharedKey(Arc<str>);

impl Connection for SharedKey {
    fn key(&self) -> Key<'_> {
        Key::from(self.0.clone())
    }
}

fn rejected(call: fn(&Circuit) -> Outcome, circuit: &Circuit) -> CircuitOpen {
    match call(circuit) {
        Err(CallError::Rejected(open)) => open,
        other => panic!("{other:?}"),
    }
}

/// What is left of the cooldown after this many seconds.
fn left_after(seconds: u32) -> Duration {
    COOLDOWN.checked_sub(seconds * SECOND).unwrap()
}

/// The data of a rejection.
fn data(open: &CircuitOpen) -> (&str, Option<&str>, RejectionReason, Option<Duration>) {
    (open.connection(), open.operation(), open.reason(), open.retry_after())
}

// Fails if a thread reuses a rejection for another circuit, operation, reason, cooldown or clock.
#[test]
fn a_rejection_has_the_data_of_its_own_call() {
    use RejectionReason::{HeldOpen, InCooldown, NotAProbe, ProbeInFlight};
    let key = SharedKey("shop-7".into());
    let clocks = [ManualClock::new(), ManualClock::new()];
    // These two share the text of their key, and the other one has an equal text.
    let [one, late] = [&clocks[0], &clocks[1]].map(|clock| Circuit::with_clock(&key, config(|c| c), clock.clone()));
    assert_eq!(Arc::strong_count(&key.0), 3);
    let other = Circuit::with_clock("shop-7", config(|c| c), clocks[0].clone());
    let check = |circuit: &Circuit, reasons: [RejectionReason; 2], wait: Option<Duration>| {
        for _ in 0..3 {
            assert_eq!(data(&rejected(order, circuit)), ("shop-7", Some("order"), reasons[0], wait));
            assert_eq!(data(&rejected(browse, circuit)), ("shop-7", Some("browse"), reasons[1], wait));
            assert_eq!(data(&circuit.try_acquire().unwrap_err()), ("shop-7", None, reasons[0], wait));
        }
    };
    [&one, &late, &other].into_iter().for_each(Circuit::trip);
    clocks[1].advance(10 * SECOND);
    for _ in 0..3 {
        check(&one, [InCooldown; 2], Some(COOLDOWN));
        check(&late, [InCooldown; 2], Some(left_after(10)));
        check(&other, [InCooldown; 2], Some(COOLDOWN));
    }
    // A new cooldown, a hold, a reset and an opening in the same moment.
    clocks[0].advance(20 * SECOND);
    let first = rejected(order, &one);
    one.trip();
    check(&one, [InCooldown; 2], Some(COOLDOWN));
    assert_eq!(first.retry_after(), Some(left_after(20)));
    one.hold_open();
    check(&one, [HeldOpen; 2], None);
    one.reset();
    order(&one).unwrap();
    one.trip();
    check(&one, [InCooldown; 2], Some(COOLDOWN));
    check(&other, [InCooldown; 2], Some(left_after(20)));
    // A probe, its end and another one.
    clocks[0].advance(COOLDOWN);
    for _ in 0..2 {
        let probe = permit(&one);
        check(&one, [ProbeInFlight, NotAProbe], None);
        drop(probe);
        assert_eq!(data(&rejected(browse, &one)), ("shop-7", Some("browse"), NotAProbe, None));
    }
    let probe = permit(&one);
    check(&one, [ProbeInFlight, NotAProbe], None);
    clocks[0].advance(LEASE);
    order(&one).expect("the lease is over");
    drop(probe);
    browse(&one).expect("the circuit is closed");
    one.trip();
    clocks[0].advance(COOLDOWN);
    assert_eq!(rejected(browse, &one).reason(), NotAProbe);
    one.hold_open();
    assert_eq!(rejected(browse, &one).reason(), HeldOpen);
    assert_eq!(first.retry_after(), Some(Duration::ZERO));
}

/// Declares guarded functions, and a list of them with their names.
macro_rules! operations {
    ($($name:ident)*) => {
        $(
            #[breaker(connection = circuit)]
            fn $name(circuit: &Circuit) -> Outcome {
                Ok(())
            }
        )*
        const OPERATIONS: [(&str, fn(&Circuit) -> Outcome); 40] = [$((stringify!($name), $name)),*];
    };
}

operations! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
}

// Fails if a thread that keeps the rejection of another operation in the place of this one reuses that one. There are more
// operations than places.
#[test]
fn a_rejection_names_its_own_operation() {
    let circuit = Circuit::new("shop-7", config(|c| c));
    circuit.hold_open();
    let mut stored = Vec::new();
    for (name, call) in OPERATIONS.into_iter().cycle().take(200) {
        let open = rejected(call, &circuit);
        assert_eq!(open.operation(), Some(name));
        stored.push((name, open));
    }
    assert!(stored.iter().all(|(name, open)| open.operation() == Some(name)));
}

// Fails if a kept rejection is found by the address of its circuit or of its key, which may be those of an earlier one.
#[test]
fn a_rejection_of_a_dropped_circuit_is_not_reused() {
    for number in 1_000..3_000 {
        let key = format!("shop-{number}");
        let circuit = Circuit::new(&key, config(|c| c));
        circuit.hold_open();
        for _ in 0..2 {
            assert_eq!(circuit.try_acquire().unwrap_err().connection(), key);
        }
    }
}

// Fails if the rejections of a thread share the time at which they were made.
#[test]
fn a_stored_rejection_keeps_what_was_left_when_its_clock_is_dropped() {
    let clock = ManualClock::new();
    let circuit = Circuit::with_clock("shop-7", config(|c| c), clock.clone());
    circuit.trip();
    let stored = [1, 2, 3].map(|_| {
        drop(circuit.try_acquire());
        clock.advance(SECOND);
        drop(circuit.try_acquire());
        circuit.try_acquire().unwrap_err()
    });
    let copies = stored.clone();
    clock.advance(10 * SECOND);
    drop(circuit.try_acquire());
    drop((circuit, clock));
    for (open, seconds) in stored.iter().chain(&copies).zip([1, 2, 3, 1, 2, 3]) {
        assert_eq!(open.retry_after(), Some(left_after(seconds)));
    }
}

// Fails if a rejection needs a thread local that no longer exists.
#[test]
fn a_call_in_the_destructor_of_a_thread_local_is_rejected() {
    struct CallsWhenDropped(Circuit);
    impl Drop for CallsWhenDropped {
        fn drop(&mut self) {
            for _ in 0..2 {
                assert_eq!(rejected(order, &self.0).reason(), RejectionReason::HeldOpen);
            }
        }
    }
    thread_local! {
        static FIRST: RefCell<Option<CallsWhenDropped>> = const { RefCell::new(None) };
        static LAST: RefCell<Option<CallsWhenDropped>> = const { RefCell::new(None) };
    }
    let circuit = Circuit::new("shop-7", config(|c| c));
    circuit.hold_open();
    let thread = {
        let circuit = circuit.clone();
        thread::spawn(move || {
            // The destructors run in an order of the platform, so one of them runs after that of the breaker.
            FIRST.set(Some(CallsWhenDropped(circuit.clone())));
            drop(order(&circuit));
            LAST.set(Some(CallsWhenDropped(circuit)));
        })
    };
    thread.join().unwrap();
    assert_eq!(circuit.snapshot().rejected, 5);
}

/// An error that declares a rejection to be a failure, or an answer.
#[derive(Debug, thiserror::Error)]
enum Mistaken {
    #[error("the other system is down")]
    Failure(#[source] CircuitOpen),
    #[error("the other system is down, they say")]
    Answer(#[source] CircuitOpen),
    #[error(transparent)]
    Own(#[from] CircuitOpen),
}

impl ProvesReachable for Mistaken {
    fn evidence(&self) -> Evidence {
        match self {
            Self::Answer(_) => Evidence::Answered,
            Self::Failure(_) => Evidence::Failed,
            Self::Own(_) => Evidence::Unknown,
        }
    }
}

fn through(outer: &Circuit, inner: &Circuit, wrap: fn(CircuitOpen) -> Mistaken) -> Result<(), Mistaken> {
    outer.call(|| inner.try_acquire().map(|_| ()).map_err(wrap))
}

// Fails if the chain of sources is not searched for a rejection.
#[test]
fn a_rejection_is_not_evidence_for_the_circuit_of_an_outer_call() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let (outer, inner) = (bed.registry.circuit("shop-7"), bed.registry.circuit("crm-7"));
    inner.hold_open();
    fail(&outer, 1);
    for wrap in [Mistaken::Failure, Mistaken::Answer, Mistaken::Own] {
        through(&outer, &inner, wrap).unwrap_err();
        assert_eq!((outer.state(), outer.snapshot().streak), (State::Closed, 1));
    }

    half_open(&outer, &bed.clock);
    for wrap in [Mistaken::Failure, Mistaken::Answer, Mistaken::Own] {
        through(&outer, &inner, wrap).unwrap_err();
        assert_eq!(outer.state(), State::HalfOpen, "the probe was inconclusive");
    }
    drop(permit(&outer));
}

// Fails if a rejected call reports to its outer calls.
#[test]
fn a_rejected_inner_call_does_not_report_to_the_outer_one() {
    let bed = test_bed(|config| config.failure_threshold(2));
    let circuit = bed.registry.circuit("shop-7");
    fail(&circuit, 1);
    let result: Outcome = circuit.call(|| {
        circuit.trip();
        let inner: Outcome = circuit.call(|| unreachable!("the circuit is open"));
        assert!(matches!(inner, Err(CallError::Rejected(_))));
        circuit.reset();
        inner
    });
    assert!(result.is_err());
    assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 0));
}
