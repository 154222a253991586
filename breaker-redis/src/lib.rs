#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod backoff;
mod builder;
#[cfg(doctest)]
mod doctests;
mod error;
mod event;
mod fleet;
mod health;
mod messages;
mod metrics;
mod names;
mod post;
mod script;
mod subscriber;
mod worker;

pub use builder::{FleetBuilder, Scope};
pub use error::FleetError;
pub use event::FleetEvent;
pub use fleet::Fleet;
pub use metrics::FleetSnapshot;
