//! The list of marked types that the linker puts together.

pub use inventory;

pub use crate::judge::dynamic::{MarkedType, Probe, downcasts};
