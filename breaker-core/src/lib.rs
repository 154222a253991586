//! Circuit breakers for outbound integration calls.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapters;
mod call;
mod circuit;
mod clock;
mod config;
mod connection;
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
mod site;
mod snapshot;
mod state;
mod status;
mod sync;
pub mod testing;

#[cfg(feature = "macros")]
pub use breaker_macros::*;

pub use circuit::Circuit;
pub use clock::Clock;
pub use config::{Answers, Config, ConfigBuilder, ConfigError};
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
