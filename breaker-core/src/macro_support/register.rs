//! Registration of marked types in a list that the linker assembles.

pub use inventory;

pub use crate::evidence::error_chain::{MarkedType, Probe, downcasts};
