//! The testing kit: isolated test beds, forced states, and readable messages of failed assertions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use breaker_core::testing::{TestBed, force};
use breaker_core::{CircuitOpen, Config, Evidence, Reason, Registry, RejectionReason, State, breaker};

#[breaker(connection = "shop-7")]
async fn stock() -> Result<u32, CircuitOpen> {
    tokio::task::yield_now().await;
    Ok(3)
}

#[breaker(connection = "shop-7")]
fn price() -> Result<u32, CircuitOpen> {
    Ok(5)
}

fn message_of(check: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(check)).expect_err("the assertion should have failed");
    payload.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn a_failed_assertion_shows_both_sequences() {
    let bed = TestBed::new();
    let circuit = bed.registry.circuit("shop-7");
    circuit.trip();
    bed.clock.advance(Duration::from_mins(1));
    circuit.try_acquire().unwrap().settle(Evidence::Failed);

    let states = message_of(|| {
        bed.events.assert_states("shop-7", [State::Closed, State::Open, State::HalfOpen, State::Closed]);
    });
    assert_eq!(
        states,
        "the events of connection `shop-7` differ from the expected ones\n\
        \x20 expected              recorded\n\
        \x20 closed -> open        closed -> open (tripped)\n\
        \x20 open -> half-open     open -> half-open (cooldown over)\n\
        \x20 half-open -> closed   half-open -> open (probe failed)    <- differs"
    );
    let reasons = message_of(|| bed.events.assert_reasons("shop-7", [Reason::Threshold]));
    assert_eq!(
        reasons,
        "the events of connection `shop-7` differ from the expected ones\n\
        \x20 expected    recorded\n\
        \x20 threshold   closed -> open (tripped)            <- differs\n\
        \x20 (nothing)   open -> half-open (cooldown over)   <- differs\n\
        \x20 (nothing)   half-open -> open (probe failed)    <- differs"
    );
    bed.events.assert_none("shop-8");
}

#[test]
fn an_assertion_fails_if_an_expected_event_is_missing() {
    let bed = TestBed::new();
    let message = message_of(|| bed.events.assert_states("shop-7", [State::Closed, State::Open]));
    assert!(message.contains("closed -> open   (nothing)   <- differs"), "{message}");
}

#[test]
fn a_bed_is_the_global_registry_while_it_is_entered() {
    let (outer, inner) = (TestBed::new(), TestBed::new());
    let entered = outer.enter();
    outer.registry.circuit("shop-7").trip();
    assert_eq!(price().unwrap_err().reason(), RejectionReason::InCooldown);
    {
        let _entered = inner.enter();
        assert_eq!(price().unwrap(), 5);
    }
    assert!(price().is_err());
    drop(entered);
    // The real global registry has recorded nothing.
    assert_eq!(price().unwrap(), 5);
}

#[tokio::test]
async fn scoped_futures_on_one_thread_do_not_mix() {
    let (open, closed) = (TestBed::new(), TestBed::new());
    open.registry.circuit("shop-7").trip();
    // Both are polled alternately on this thread.
    let (rejected, answered) = tokio::join!(open.scope(stock()), closed.scope(stock()));
    assert_eq!(rejected.unwrap_err().reason(), RejectionReason::InCooldown);
    assert_eq!(answered.unwrap(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scoped_future_keeps_its_bed_on_every_thread() {
    let bed = TestBed::new();
    bed.registry.circuit("shop-7").trip();
    let call = bed.scope(async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
            assert!(stock().await.is_err());
        }
    });
    tokio::spawn(call).await.unwrap();
}

#[test]
fn a_panic_ends_the_entered_scope() {
    let bed = TestBed::new();
    bed.registry.circuit("shop-8").trip();
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let _entered = bed.enter();
        panic!("in the middle of a test");
    }));
    assert_eq!(Registry::global().circuit("shop-8").state(), State::Closed);
}

#[test]
fn forced_half_open_admits_exactly_the_probes() {
    let config = Config::builder().half_open_probes(2).build().unwrap();
    let bed = TestBed::with(|registry| registry.config(config)).unwrap();
    let circuit = bed.registry.circuit("shop-7");
    force(&circuit, State::HalfOpen);
    let probes = [circuit.try_acquire().unwrap(), circuit.try_acquire().unwrap()];
    assert_eq!(circuit.try_acquire().unwrap_err().reason(), RejectionReason::ProbeInFlight);
    for probe in probes {
        probe.settle(Evidence::Answered);
    }
    bed.events.assert_states("shop-7", [State::Closed, State::HalfOpen, State::Closed]);
}

#[test]
fn every_state_is_forced_from_every_other() {
    let held = |circuit: &breaker_core::Circuit| circuit.hold_open();
    for target in [State::Closed, State::Open, State::HalfOpen] {
        for start in [State::Closed, State::Open, State::HalfOpen] {
            let bed = TestBed::new();
            let circuit = bed.registry.circuit("shop-7");
            force(&circuit, start);
            force(&circuit, target);
            assert_eq!(circuit.state(), target, "from {start}");
        }
        let bed = TestBed::new();
        let circuit = bed.registry.circuit("shop-7");
        held(&circuit);
        force(&circuit, target);
        assert_eq!(circuit.state(), target, "from held open");
        assert!(!circuit.snapshot().held);
    }
}
