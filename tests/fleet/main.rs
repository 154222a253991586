//! Shared circuits: the protocol between a circuit and its fleet, and the example `fleet` with a server.

#[path = "../common/mod.rs"]
mod common;

mod event_chain;
mod fleet_example;
mod fleet_seam;
