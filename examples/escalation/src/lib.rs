//! Opened circuit → connection marked as needing attention → reconnect → reset.
//!
//! What must not get lost is in a SQLite file, and circuits are not: a program that starts again starts with closed ones,
//! reads from the file which connections its jobs skip, and sends what it had not sent yet.

mod crash;
mod desk;
mod service;
mod shop;
mod store;

pub use desk::Desk;
pub use service::{Round, Service};
pub use shop::{Shop, ShopError};
pub use store::{Escalation, Status, Store};
