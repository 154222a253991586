//! The timeline that the example prints.

use std::time::Instant;

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

    /// Prints an event of the connection with this key.
    pub(crate) fn event(self, key: &str, what: &str) {
        let shop = SHOPS.iter().find(|(id, _)| SystemConnection::key_of(*id) == *key);
        let name = shop.map_or(key, |(_, name)| name);
        println!("{:6.3} s  {name:8} {what}", self.start.elapsed().as_secs_f64());
    }

    /// Prints a step of the scenario.
    pub(crate) fn step(self, what: &str) {
        println!("{:6.3} s  -- {what}", self.start.elapsed().as_secs_f64());
    }
}
