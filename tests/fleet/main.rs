//! Shared circuits, without a server, and the example `fleet` with one.

#[path = "../common/mod.rs"]
mod common;

mod fleet_example;
mod fleet_seam;
