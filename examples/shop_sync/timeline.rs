//! The printed timeline.

use std::time::Instant;

use breaker_core::Connection as _;

use crate::SHOPS;
use crate::connection::SystemConnection;

#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    start: Instant,
}

impl Timeline {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// Prints an event of a connection, by its key.
    pub(crate) fn tell(self, key: &str, what: &str) {
        let shop = SHOPS.iter().find(|(id, _)| SystemConnection::key_of(*id) == *key);
        let name = shop.map_or(key, |(_, name)| name);
        println!("{:6.3} s  {name:8} {what}", self.start.elapsed().as_secs_f64());
    }

    /// Prints an event of a connection.
    pub(crate) fn tell_of(self, connection: &SystemConnection, what: &str) {
        self.tell(&connection.key(), what);
    }

    /// Prints a step of the scenario.
    pub(crate) fn say(self, what: &str) {
        println!("{:6.3} s  -- {what}", self.start.elapsed().as_secs_f64());
    }
}
