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
//! The module [`guide`] has the guides.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapters;
mod call;
mod circuit;
mod clock;
mod config;
mod connection;
mod delivery;
mod event;
mod evidence;
pub mod fleet;
mod guard;
#[cfg(any(doc, doctest))]
pub mod guide;
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
pub use breaker_macros::ProvesReachable;
/// Guards the calls of a function, or of a whole `impl` block, with the circuits of their connections.
///
/// ```
/// use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable, State, breaker};
///
/// #[derive(Debug, thiserror::Error, ProvesReachable)]
/// enum ConsentError {
///     #[error("no contact {0}")]
///     #[reachable(status = 404)]
///     NoContact(u64),
///     #[error("the CRM did not answer")]
///     NoAnswer,
///     #[error(transparent)]
///     Rejected(#[from] CircuitOpen),
/// }
///
/// struct Crm { circuit: Circuit }
///
/// #[breaker(connection = self.circuit)]
/// impl Crm {
///     async fn pull_consent(&self, contact: u64) -> Result<bool, ConsentError> {
///         if contact == 0 { Err(ConsentError::NoContact(contact)) } else { Err(ConsentError::NoAnswer) }
///     }
///
///     /// The same, with something to fall back on.
///     #[breaker(fallback = |_| Ok(false))]
///     async fn pull_or_assume(&self, contact: u64) -> Result<bool, ConsentError> {
///         self.pull_consent(contact).await
///     }
///
///     /// Inbound, so there is nothing to guard.
///     #[breaker(skip)]
///     async fn webhook(&self) -> Result<(), ConsentError> {
///         Ok(())
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), breaker_core::ConfigError> {
/// let crm = Crm { circuit: Circuit::new("crm", Config::builder().failure_threshold(1).build()?) };
/// // A marked error is an answer, and the circuit stays closed.
/// assert!(matches!(crm.pull_consent(0).await, Err(ConsentError::NoContact(_))));
/// assert_eq!(crm.circuit.state(), State::Closed);
/// assert!(matches!(crm.pull_consent(7).await, Err(ConsentError::NoAnswer)));
/// // Open: the body is not run any more.
/// assert!(matches!(crm.pull_consent(7).await, Err(ConsentError::Rejected(_))));
/// assert!(!crm.pull_or_assume(7).await.unwrap());
/// assert!(crm.webhook().await.is_ok());
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "macros")]
pub use breaker_macros::breaker;

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
