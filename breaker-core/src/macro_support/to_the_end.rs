//! Judges of values whose body is a part of the call with `settles = end` only.

#[cfg(all(feature = "http-body", feature = "reqwest"))]
pub use super::response_to_the_end::JudgeBodyToTheEnd;
