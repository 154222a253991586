#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod backoff;
mod builder;
mod connection_state;
#[cfg(doctest)]
mod doctests;
mod error;
mod event;
mod fleet;
mod key_encoding;
mod metrics;
mod queue;
mod script;
mod settings;
mod shared;
mod subscriber;
mod wire;
mod worker;

pub use builder::FleetBuilder;
pub use error::FleetError;
pub use event::FleetEvent;
pub use fleet::Fleet;
pub use metrics::FleetSnapshot;
pub use settings::Scope;
