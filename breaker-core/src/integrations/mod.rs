//! Integrations with other crates, each behind the feature of its crate.

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod choose_circuit;
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(feature = "stream")]
pub(crate) mod part_of_call;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest_middleware;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "stream")]
pub(crate) mod stream;
#[cfg(feature = "tower")]
pub mod tower;
