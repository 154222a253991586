//! A process that joins with more connections than its queue can hold.

use std::time::Duration;

use crate::common::server::Server;
use crate::common::{SECOND, until};
use breaker_core::{Config, Registry, State};
use breaker_redis::{Fleet, FleetBuilder};

fn registry(server: &Server, set: impl FnOnce(FleetBuilder) -> FleetBuilder) -> (Registry, Fleet) {
    let builder = Fleet::builder(server.url()).namespace("tests").poll_every(Duration::from_secs(3_600));
    let fleet = set(builder).start().unwrap();
    let registry = Registry::builder().config(Config::default()).fleet(fleet.clone()).build().unwrap();
    until("it is connected", 10 * SECOND, || fleet.snapshot().connected && fleet.snapshot().subscribed);
    (registry, fleet)
}

// Fails when a request that found no room is repeated only with the next poll.
#[test]
fn all_changes_arrive_long_before_the_next_poll() {
    const MANY: u64 = 2_000;
    let Some(server) = Server::start() else { return };
    let (old, fleet) = registry(&server, |fleet| fleet);
    (0..MANY).for_each(|shop| old.circuit(&shop).hold_open());
    assert!(fleet.flush(10 * SECOND));
    let (new, fleet) = registry(&server, |fleet| fleet.queue(1));
    let circuits: Vec<_> = (0..MANY).map(|shop| new.circuit(&shop)).collect();
    assert_ne!(fleet.snapshot().overflowed, 0, "it found room");
    until("all are held", 5 * SECOND, || circuits.iter().all(|circuit| circuit.state() == State::Open));
}
