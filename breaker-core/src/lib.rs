//! Circuit breakers for outbound integration calls: one circuit for each connection, added by an annotation. Errors that
//! prove that the remote system answered are marked on their type, and the marks are checked at compile time.
//!
//! ```
//! use breaker_core::{CircuitOpen, ProvesReachable, breaker};
//!
//! #[derive(Debug, thiserror::Error, ProvesReachable)]
//! enum StockError {
//!     /// An answer: the shop was reached and does not have this article.
//!     #[error("no article {0}")]
//!     #[reachable(status = 404)]
//!     NoSuchArticle(u64),
//!     /// Unmarked, so it counts against the circuit.
//!     #[error("the shop did not answer")]
//!     NoAnswer,
//!     /// Recognised by its type: a rejection is never evidence.
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
//! // After five failures in a row the circuit is open, and the shop is not called.
//! assert!(matches!(down.stock(7), Err(StockError::Rejected(_))));
//! // Another connection has a circuit of its own, and answers never open it.
//! for _ in 0..9 {
//!     assert!(matches!(other.stock(0), Err(StockError::NoSuchArticle(_))));
//! }
//! ```
//!
#![doc = include_str!("../doc/states.svg")]
//!
//! Start with [`breaker`](macro@breaker) and [`derive(ProvesReachable)`](derive@ProvesReachable). [`Config`] and [`Registry`]
//! have the settings, [`Circuit`] guards calls without an annotation, and [`testing`] has tools for tests.
//! [`guide`] has the guides.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod call;
mod circuit;
mod clock;
mod config;
mod event;
mod evidence;
pub mod fleet;
#[cfg(any(doc, doctest))]
pub mod guide;
mod integrations;
mod judge;
mod key;
mod known_errors;
#[cfg(all(test, loom))]
mod loom_tests;
mod machine;
mod macro_support;
mod ordered_delivery;
mod panics;
mod registry;
mod rejection;
mod state;
mod sync;
mod telemetry;
pub mod testing;
mod transport;

#[cfg(feature = "macros")]
pub use breaker_macros::ProvesReachable;
/// Guards the calls of a function, or of a whole `impl` block, with the circuit of their connection.
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
///     /// The same call with a fallback.
///     #[breaker(fallback = |_| Ok(false))]
///     async fn pull_or_assume(&self, contact: u64) -> Result<bool, ConsentError> {
///         self.pull_consent(contact).await
///     }
///
///     /// Inbound, so it is not guarded.
///     #[breaker(skip)]
///     async fn webhook(&self) -> Result<(), ConsentError> {
///         Ok(())
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), breaker_core::ConfigError> {
/// let crm = Crm { circuit: Circuit::new("crm", Config::builder().failure_threshold(1).build()?) };
/// // A marked error is an answer, so the circuit stays closed.
/// assert!(matches!(crm.pull_consent(0).await, Err(ConsentError::NoContact(_))));
/// assert_eq!(crm.circuit.state(), State::Closed);
/// assert!(matches!(crm.pull_consent(7).await, Err(ConsentError::NoAnswer)));
/// // The circuit is open, so the body does not run.
/// assert!(matches!(crm.pull_consent(7).await, Err(ConsentError::Rejected(_))));
/// assert!(!crm.pull_or_assume(7).await.unwrap());
/// assert!(crm.webhook().await.is_ok());
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "macros")]
pub use breaker_macros::breaker;

pub use call::{CallFuture, Permit, Unnested, unnested, unnested_async};
pub use circuit::{Circuit, Connection};
pub use clock::Clock;
pub use config::{Answers, Config, ConfigBuilder, ConfigError, FailureRule};
pub use event::{Event, Last, Reason, Snapshot};
#[cfg(feature = "http")]
pub use evidence::CarriesStatus;
pub use evidence::{Evidence, Mark, Marked, MarkedPayload, Marks, NeverReachable, ProvesReachable, marks, rejection};
#[cfg(feature = "metrics")]
pub use integrations::metrics;
#[cfg(feature = "stream")]
pub use integrations::part_of_call::PartOfCall;
#[cfg(feature = "reqwest-middleware")]
pub use integrations::reqwest_middleware;
#[cfg(feature = "tower")]
pub use integrations::tower;
#[cfg(feature = "tokio")]
pub use judge::TimedOut;
pub use key::Key;
pub use registry::{GlobalAlreadySet, Registry, RegistryBuilder};
pub use rejection::{CircuitOpen, RejectionReason};
pub use state::State;

#[doc(hidden)]
pub mod __private {
    pub use crate::macro_support::*;
}
