//! Evidence: what a finished call proves about the remote system, and the errors that carry it.

#[cfg(feature = "http")]
mod carries_status;
pub(crate) mod error_chain;
mod fault;
mod foreign_types;
mod judgement;
mod marks;
mod never_reachable;
mod payload;
mod pointers;
mod proves_reachable;
pub(crate) mod status;

#[cfg(feature = "http")]
pub use carries_status::CarriesStatus;
pub use error_chain::rejection;
pub use fault::Fault;
pub(crate) use foreign_types::ForeignType;
pub(crate) use judgement::{Judgement, TypeName};

pub use marks::{Mark, Marked, Marks, marks};
pub use never_reachable::NeverReachable;
pub use payload::MarkedPayload;
pub use proves_reachable::{Evidence, ProvesReachable};
