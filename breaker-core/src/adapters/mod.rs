//! What is known about other crates, each behind its feature: the types of some, and how to tell others what circuits go
//! through. Nothing else in this crate knows of them, but that [`watch`](crate::watch) tells the latter.

#[cfg(feature = "http")]
mod http;
#[cfg(feature = "hyper")]
mod hyper;
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(feature = "reqwest")]
mod reqwest;
#[cfg(feature = "serde_json")]
mod serde_json;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "tonic")]
mod tonic;
#[cfg(feature = "tracing")]
pub(crate) mod tracing;
