//! Escalation of an opened circuit: the connection is marked as needing attention, and a reconnect resets the circuit.
//!
//! State that must survive a crash is in a SQLite file. Circuits are not: after a restart all circuits are closed, the
//! program reads from the file which connections its jobs skip, and it sends what it had not sent before.

mod crash;
mod service;
mod shop;
mod store;
mod ticket_system;

pub use service::{Round, Service};
pub use shop::{Shop, ShopError};
pub use store::{Escalation, Status, Store};
pub use ticket_system::TicketSystem;
