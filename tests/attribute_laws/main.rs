//! The laws of the state machine, as annotated functions keep them.

#[path = "../attribute_common/mod.rs"]
mod attribute_common;
mod law_3;
mod law_4;
mod law_5;
mod law_6;

use std::panic::{AssertUnwindSafe, catch_unwind};

use attribute_common::{CallError, breaking_at, ready};
use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, CircuitOpen, Config, Evidence, State, TimedOut, breaker};

/// A circuit whose next call is the probe.
fn half_open() -> Circuit {
    let clock = ManualClock::new();
    let circuit = Circuit::with_clock("shop", breaking_at(1), clock.clone());
    circuit.trip();
    clock.advance(Config::default().cooldown());
    assert_eq!(circuit.state(), State::HalfOpen);
    circuit
}
