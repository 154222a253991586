//! Tests of a fleet against a real redis-server. Processes of the fleet are this program, started again.

mod agreement;
mod common;
mod joining;
mod outages;
mod probes;
mod script;
mod shared_server;

/// Entry point of a process of the fleet, which the tests start with `--ignored --exact worker`.
#[test]
#[ignore = "started by the tests"]
fn worker() {
    common::worker::run();
}
