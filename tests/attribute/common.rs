//! Helpers for tests of annotated functions: an error of each evidence, circuits, and futures polled by hand.
#![allow(dead_code, reason = "not every test uses every helper")]

use std::fmt;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, CircuitOpen, Config, Evidence, ProvesReachable, State};

/// An error of each evidence.
#[derive(Debug)]
pub(crate) enum CallError {
    Answered,
    Failed,
    Rejected(CircuitOpen),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for CallError {}

impl From<CircuitOpen> for CallError {
    fn from(open: CircuitOpen) -> Self {
        Self::Rejected(open)
    }
}

impl ProvesReachable for CallError {
    fn evidence(&self) -> Evidence {
        match self {
            Self::Answered => Evidence::Answered,
            Self::Failed => Evidence::Failed,
            Self::Rejected(_) => Evidence::Unknown,
        }
    }
}

/// The default configuration with another threshold.
pub(crate) fn breaking_at(threshold: u32) -> Config {
    Config::builder().failure_threshold(threshold).build().expect("a threshold")
}

/// A circuit whose next call is the probe.
pub(crate) fn half_open() -> Circuit {
    let clock = ManualClock::new();
    let circuit = Circuit::with_clock("shop", breaking_at(1), clock.clone());
    circuit.trip();
    clock.advance(Config::default().cooldown());
    assert_eq!(circuit.state(), State::HalfOpen);
    circuit
}

/// Runs a future that is ready at its first poll.
pub(crate) fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future is pending"),
    }
}
