//! The list of marked types that the linker puts together.

pub use inventory;

pub use crate::adapters::dynamic::{MarkedType, Probe, finders};
