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
mod metrics;
mod protocol;
mod settings;
mod shared;
mod tasks;

pub use builder::FleetBuilder;
pub use error::FleetError;
pub use event::FleetEvent;
pub use fleet::Fleet;
pub use metrics::FleetSnapshot;
pub use settings::Scope;
