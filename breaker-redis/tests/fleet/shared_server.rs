//! Independence of fleets that share a server, and of circuits of which only one is refused.

use std::sync::{Arc, Mutex};

use crate::common::server::Server;
use crate::common::{SECOND, ms, until};
use breaker_core::{Config, Registry, State};
use breaker_redis::{Fleet, FleetEvent};

fn registry(url: &str) -> (Registry, Fleet) {
    let fleet = Fleet::builder(url).namespace("tests").poll_every(SECOND / 5).start().unwrap();
    let registry = Registry::builder().config(Config::default()).fleet(fleet.clone()).build().unwrap();
    until("it is connected", 10 * SECOND, || fleet.snapshot().connected && fleet.snapshot().subscribed);
    (registry, fleet)
}

// Fails when all databases share a channel, because channels belong to the server and keys to a database.
#[test]
fn each_database_of_a_server_has_its_own_fleets() {
    let Some(server) = Server::start() else { return };
    let (production, fleet) = registry(&server.url());
    let [(staging, _), (other, _)] = [(); 2].map(|()| registry(&format!("{}7", server.url())));
    let circuits = [&production, &staging, &other].map(|registry| registry.circuit("shop-7"));
    assert!(fleet.flush(SECOND));
    circuits[1].hold_open();
    until("its own fleet receives it", SECOND, || circuits[2].state() == State::Open);
    assert_eq!(circuits[0].state(), State::Closed);
    assert_eq!(fleet.snapshot().messages, 0, "of another database");
}

// Fails when each accepted write ends the refusal of another circuit: there would be two events for each round of
// writes.
#[test]
fn a_refused_circuit_does_not_flood_the_events() {
    let Some(server) = Server::start() else { return };
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = events.clone();
    let fleet = Fleet::builder(server.url())
        .namespace("tests")
        .on_event(move |event| log.lock().unwrap().push(event.clone()))
        .start()
        .unwrap();
    let registry = Registry::builder().config(Config::default()).fleet(fleet.clone()).build().unwrap();
    server.command("SET breaker:v1:{tests:taken} something-else");
    for _ in 0..50 {
        registry.circuit("taken").trip();
        registry.circuit("free").trip();
        assert!(fleet.flush(SECOND));
    }
    let count = |wanted: fn(&FleetEvent) -> bool| events.lock().unwrap().iter().filter(|event| wanted(event)).count();
    let refused = |event: &FleetEvent| matches!(event, FleetEvent::Refused { .. });
    assert_eq!((count(refused), count(|event| *event == FleetEvent::Accepted)), (1, 0));
    assert!(fleet.snapshot().refused);
    // The refusal ends by itself, with one event and without another write.
    server.command("DEL breaker:v1:{tests:taken}");
    registry.circuit("taken").trip();
    until("it is accepted", 5 * SECOND, || !fleet.snapshot().refused);
    std::thread::sleep(ms(50));
    assert_eq!((count(refused), count(|event| *event == FleetEvent::Accepted)), (1, 1));
}
