//! Every shape of function that can be annotated. One source, compiled and run in each edition without warnings.
#![deny(warnings)]
#![allow(
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "the shapes are unusual on purpose, and clippy warns about each"
)]

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use breaker_core::{Circuit, CircuitOpen, Config, Evidence, ProvesReachable, State};

#[path = "shapes/arguments.rs"]
mod arguments;
#[path = "shapes/bodies.rs"]
mod bodies;
#[path = "shapes/drop_order.rs"]
mod drop_order;
#[path = "shapes/expressions.rs"]
mod expressions;
#[path = "shapes/futures.rs"]
mod futures_and_streams;
#[path = "shapes/generated.rs"]
mod generated;
#[path = "shapes/hygiene.rs"]
mod hygiene;
#[path = "shapes/receivers.rs"]
mod receivers;
#[path = "shapes/results.rs"]
mod results;
#[path = "shapes/sizes.rs"]
mod sizes;

/// An error of each evidence.
#[derive(Debug)]
pub(crate) enum CallError {
    Answered,
    Failed,
    Rejected(CircuitOpen),
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for CallError {}

impl From<CircuitOpen> for CallError {
    fn from(open: CircuitOpen) -> Self {
        Self::Rejected(open)
    }
}

impl From<std::num::ParseIntError> for CallError {
    fn from(_: std::num::ParseIntError) -> Self {
        Self::Failed
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

/// A circuit that opens at the first failure.
pub(crate) fn fragile() -> Circuit {
    Circuit::new("shop", Config::builder().failure_threshold(1).build().expect("a threshold"))
}

pub(crate) fn held_open() -> Circuit {
    let circuit = fragile();
    circuit.hold_open();
    circuit
}

pub(crate) fn is_open(circuit: &Circuit) -> bool {
    circuit.state() == State::Open
}

/// Runs a future that is ready at its first poll.
pub(crate) fn ready<F: Future>(future: F) -> F::Output {
    match Box::pin(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future is pending"),
    }
}

pub(crate) fn is_send<T: Send>(value: T) -> T {
    value
}

/// A connection that is not a place behind a shared reference.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Circuit>);
