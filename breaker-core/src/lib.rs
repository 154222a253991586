//! Circuit breakers for outbound integration calls: one for each connection, by annotation, with errors that prove
//! reachability checked when they are compiled.
//!
//! ```
//! use breaker_core::{CircuitOpen, ProvesReachable, breaker};
//!
//! #[derive(Debug, thiserror::Error, ProvesReachable)]
//! enum StockError {
//!     /// An answer: the shop was reached, and knows no such article.
//!     #[error("no article {0}")]
//!     #[reachable(status = 404)]
//!     NoSuchArticle(u64),
//!     /// Unmarked: it counts against the circuit.
//!     #[error("the shop did not answer")]
//!     NoAnswer,
//!     /// Seen by its type: a rejection is never evidence.
//!     #[error(transparent)]
//!     Rejected(#[from] CircuitOpen),
//! }
//!
//! struct Shop { id: u64 }
//!
//! impl Shop {
//!     #[breaker(connection = ("shop", self.id))]
//!     fn stock(&self, article: u64) -> Result<u32, StockError> {
//!         if article == 0 { Err(StockError::NoSuchArticle(article)) } else { Err(StockError::NoAnswer) }
//!     }
//! }
//!
//! let (down, other) = (Shop { id: 1 }, Shop { id: 2 });
//! for _ in 0..5 {
//!     assert!(matches!(down.stock(7), Err(StockError::NoAnswer)));
//! }
//! // Five failures in a row: the circuit is open, and the shop is not called.
//! assert!(matches!(down.stock(7), Err(StockError::Rejected(_))));
//! // Another connection has another circuit, and an answer never opens it.
//! for _ in 0..9 {
//!     assert!(matches!(other.stock(0), Err(StockError::NoSuchArticle(_))));
//! }
//! ```
//!
#![doc = include_str!("../doc/states.svg")]
//!
//! Begin with [`breaker`](macro@breaker) and [`derive(ProvesReachable)`](derive@ProvesReachable); [`Config`] and
//! [`Registry`] tell what can be configured, [`Circuit`] is for calls that are not annotated, and [`testing`] for tests.
//! The README of the project has the guides.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapters;
mod call;
mod circuit;
mod clock;
mod config;
mod connection;
#[cfg(doctest)]
mod doctests;
mod event;
mod evidence;
mod guard;
mod key;
mod machine;
mod marks;
#[cfg(all(test, loom))]
mod models;
mod nesting;
mod never;
mod outcome;
mod permit;
mod pointers;
mod private;
mod registry;
mod rejection;
mod report;
mod rules;
mod site;
mod snapshot;
mod stage;
mod state;
mod status;
mod sync;
pub mod testing;
mod transport;
mod watch;

#[cfg(feature = "macros")]
pub use breaker_macros::*;

#[cfg(feature = "http")]
pub use adapters::http::CarriesStatus;
#[cfg(feature = "metrics")]
pub use adapters::metrics;
#[cfg(feature = "reqwest-middleware")]
pub use adapters::reqwest_middleware;
#[cfg(feature = "tokio")]
pub use adapters::tokio::TimedOut;
#[cfg(feature = "tower")]
pub use adapters::tower;
pub use circuit::Circuit;
pub use clock::Clock;
pub use config::{Answers, Config, ConfigBuilder, ConfigError, FailureRule};
pub use connection::Connection;
pub use event::{Event, Reason};
pub use evidence::{Evidence, ProvesReachable};
pub use key::Key;
pub use marks::{Mark, Marked, Marks, marks};
pub use never::{MarkedPayload, NeverReachable};
pub use permit::Permit;
pub use registry::{GlobalAlreadySet, Registry, RegistryBuilder};
pub use rejection::{CircuitOpen, RejectionReason};
pub use snapshot::{Last, Snapshot};
pub use state::State;

#[doc(hidden)]
pub mod __private {
    pub use crate::private::*;
}
