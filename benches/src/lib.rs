//! The measured cases of calls through a circuit breaker. The binaries and `benches/` measure them in different ways.

pub mod cases;
pub mod core_subjects;
pub mod lower_bounds;
pub mod remote;
#[cfg(feature = "rivals")]
pub mod rivals;
#[cfg(feature = "fleet")]
pub mod server;
pub mod subject;
