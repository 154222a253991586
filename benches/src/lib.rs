//! The cost of one call through a circuit breaker: the cases, independent of the ways to measure them.

pub mod cases;
pub mod floor;
pub mod ours;
pub mod remote;
#[cfg(feature = "rivals")]
pub mod rivals;
#[cfg(feature = "fleet")]
pub mod server;
pub mod subject;
