//! The service's own record of a connected shop.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use breaker_core::{Connection, Key};

/// What the service's users see of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Active,
    /// Needs attention: its circuit has opened.
    Error,
}

pub struct SystemConnection {
    id: u64,
    address: SocketAddr,
    status: Mutex<Status>,
}

impl Connection for SystemConnection {
    fn key(&self) -> Key<'_> {
        Key::from(("crm", self.id))
    }
}

impl SystemConnection {
    pub fn new(id: u64, address: SocketAddr) -> Self {
        Self { id, address, status: Mutex::new(Status::Active) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn is(&self, key: &str) -> bool {
        self.key() == *key
    }

    pub fn status(&self) -> Status {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_status(&self, status: Status) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }
}
