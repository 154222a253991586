//! The cost of a failure for the caller, which is reported to the fleet.

use std::time::{Duration, Instant};

use breaker_benches::server::{Server, wait_for};
use breaker_core::{Circuit, Config, Evidence, Registry};
use breaker_redis::Fleet;

/// A number of calls for which the queue has room.
const CALLS: u32 = 10_000;
const ROUNDS: usize = 20;

pub(crate) fn measure() {
    let server = Server::start();
    let config = Config::builder().failure_threshold(u32::MAX).build().expect("in range");
    let fleet = Fleet::builder(server.url()).start().expect("in range");
    let registry = Registry::builder().config(config.clone()).fleet(fleet.clone()).build().expect("in range");
    let shared = registry.circuit("shop-7");
    wait_for(&fleet);
    println!("a call that fails\tns");
    println!("alone\t{}", nanos(&Circuit::new("shop-7", config), || {}));
    println!("in a fleet\t{}", nanos(&shared, || assert!(fleet.flush(Duration::from_secs(10)), "the server is slow")));
}

/// Returns the time of each call in the median round.
fn nanos(circuit: &Circuit, between: impl Fn()) -> u128 {
    let round = || {
        let start = Instant::now();
        for _ in 0..CALLS {
            circuit.try_acquire().expect("it never opens").settle(Evidence::Failed);
        }
        let took = start.elapsed();
        between();
        took.as_nanos() / u128::from(CALLS)
    };
    let mut rounds: Vec<_> = (0..ROUNDS).map(|_| round()).collect();
    rounds.sort_unstable();
    rounds[ROUNDS / 2]
}
