//! Benchmarks of calls through circuit breakers. This library has the cases; `src/bin/` and `benches/` measure them.

pub mod cases;
pub mod core_subjects;
pub mod lower_bounds;
pub mod remote;
#[cfg(feature = "rivals")]
pub mod rivals;
#[cfg(feature = "fleet")]
pub mod server;
pub mod subject;
