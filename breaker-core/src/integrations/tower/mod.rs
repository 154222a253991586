//! A layer for [`tower`](https://docs.rs/tower) services (feature `tower`).
//!
//! The circuit of each request is chosen by a key, so that one client for many remote systems has one circuit for each:
//!
//! ```
//! use breaker_core::Key;
//! use breaker_core::tower::BreakerLayer;
//!
//! let layer = BreakerLayer::new(|request: &http::Request<String>| {
//!     Key::from(request.uri().host().unwrap_or_default())
//! });
//! # let _ = layer;
//! ```
//!
//! - A response is judged by its HTTP status and returned unchanged. For a service that does not speak HTTP say what a
//!   result proves with [`BreakerLayer::judged_by`].
//! - An error is judged by its type, along its `source()` chain, and returned in a [`BoxError`]. A rejection is a
//!   [`CircuitOpen`](crate::CircuitOpen) in such a box.
//! - A request is admitted when its future is first polled, and only then the inner service is asked whether it is
//!   ready: never for a request that is rejected. So this layer is always ready itself, and the inner service has to be
//!   `Clone`, as each request waits with a clone of its own. A limit on requests under way belongs *around* this layer
//!   if it is to be felt by `poll_ready`.
//! - It needs no runtime: it takes no lock across a call, sleeps never and spawns nothing.

mod judge;
mod layer;
mod oneshot;
mod service;

/// An error of any type, as it is usual for `tower`.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

pub use super::choose_circuit::{ByKey, ChooseCircuit};
pub use crate::judge::ByStatus;
pub use judge::{ByChain, ByFunction};
pub use layer::BreakerLayer;
pub use service::{Breaker, ResponseFuture};
