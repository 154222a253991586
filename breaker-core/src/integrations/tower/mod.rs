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
//! - A response is judged by its HTTP status and returned unchanged. For a service without HTTP statuses, use
//!   [`BreakerLayer::judged_by`] or [`BreakerLayer::errors_only`].
//! - An error is judged by its type, along its `source()` chain, and returned in a [`BoxError`]. A rejection is a
//!   [`CircuitOpen`](crate::CircuitOpen) in such a box.
//! - A request is admitted when its future is first polled. Only then is the inner service polled for readiness, and never
//!   for a rejected request. So this layer itself is always ready. The inner service must be `Clone`, because each request
//!   waits with a clone of its own. A concurrency limit that callers should see in `poll_ready` belongs *around* this layer.
//! - It needs no runtime: it holds no lock across a call, never sleeps and spawns no task.

mod judge;
mod layer;
mod oneshot;
mod service;
#[cfg(feature = "http-body")]
mod with_body;

/// An error of any type, as is usual for `tower`.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

pub use super::choose_circuit::{ByKey, ChooseCircuit};
pub use crate::judge::ByStatus;
pub use judge::{ByChain, ByFunction, JudgeService};
pub use layer::BreakerLayer;
pub use service::{Breaker, ResponseFuture};
#[cfg(feature = "http-body")]
pub use with_body::{BodyLayer, BoxedErrors, DetachBody, DetachBodyFuture, ResponseBody};
