//! What happens, as it happens.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use breaker_core::Connection as _;

use crate::connection::SystemConnection;

/// The shops' names by the keys of their connections.
static NAMES: Mutex<Vec<(String, &str)>> = Mutex::new(Vec::new());

#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    start: Instant,
}

impl Timeline {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// The name by which a connection appears.
    pub(crate) fn know(self, connection: &SystemConnection, name: &'static str) {
        NAMES.lock().unwrap_or_else(PoisonError::into_inner).push((connection.key().to_string(), name));
    }

    /// Something about a connection.
    pub(crate) fn tell(self, key: &str, what: &str) {
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.iter().find(|(known, _)| known == key).map_or(key, |(_, name)| name);
        println!("{:6.3} s  {name:8} {what}", self.start.elapsed().as_secs_f64());
    }

    /// A turn of the story.
    pub(crate) fn say(self, what: &str) {
        println!("{:6.3} s  -- {what}", self.start.elapsed().as_secs_f64());
    }
}
