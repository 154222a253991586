//! Escalation of an opened circuit: the connection is marked as needing attention, and a reconnect resets the circuit.
//!
//! A SQLite file stores the marks and the escalations, because they must survive a crash. Circuits are only in memory.
//! After a restart, all circuits are closed, the jobs skip the connections that the file marks, and the program sends
//! the escalations that an earlier run left unsent.

mod crash;
mod service;
mod shop;
mod store;
mod ticket_system;

pub use service::{Round, Service};
pub use shop::{Shop, ShopError};
pub use store::{Escalation, Status, Store};
pub use ticket_system::TicketSystem;
