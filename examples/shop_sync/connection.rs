//! The service's record of a connected shop.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use breaker_core::{Connection, Key};

/// The status of a connection as users of the service see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Active,
    /// Needs attention, because the circuit of the connection has opened.
    Error,
}

pub(crate) struct SystemConnection {
    id: u64,
    address: SocketAddr,
    status: Mutex<Status>,
}

impl Connection for SystemConnection {
    fn key(&self) -> Key<'_> {
        Self::key_of(self.id)
    }
}

impl SystemConnection {
    pub(crate) fn new(id: u64, address: SocketAddr) -> Self {
        Self { id, address, status: Mutex::new(Status::Active) }
    }

    pub(crate) fn key_of(id: u64) -> Key<'static> {
        Key::from(("crm", id))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn is(&self, key: &str) -> bool {
        self.key() == *key
    }

    pub(crate) fn status(&self) -> Status {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_status(&self, status: Status) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }
}
