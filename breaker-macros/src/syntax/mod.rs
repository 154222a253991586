//! Helpers for Rust syntax that both macros use.

pub(crate) mod expansion_spans;
pub(crate) mod exprs;
pub(crate) mod spans;
pub(crate) mod suggest;
pub(crate) mod types;
