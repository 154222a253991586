//! What a fleet costs: the script's operations, and how the load on the server grows with workers and with connections.
//! It starts a redis-server of its own. `cargo run --release --features fleet --bin fleet`
//!
//! What a healthy call costs in a fleet is among the cases of `instructions.sh`.

mod server;

use std::time::{Duration, Instant};

use breaker_core::{Config, Evidence, Registry};
use breaker_redis::Fleet;

use server::Server;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    operations()?;
    workers()?;
    connections()
}

/// Each operation by itself, one after the other: what the caller waits, and what the server works.
fn operations() -> Result<(), Failure> {
    const CODE: &str = include_str!("../../../../breaker-redis/src/script.lua");
    const TIMES: u32 = 5_000;
    println!("operation\tround trip us\tserver us");
    let server = Server::start()?;
    let mut connection = server.connect()?;
    let hash: String = redis::cmd("SCRIPT").arg("LOAD").arg(CODE).query(&mut connection)?;
    // A failure that opens, a refused verdict, and so on would be other operations: these are the common ones.
    let cases: [(&str, &str, u64, u64); 6] = [
        ("read", "read", 0, 0),
        ("failure", "fail", u64::from(u32::MAX), 0),
        ("answer", "answer", 0, 0),
        ("opening", "trip", 0, 0),
        ("probe", "probe", 0, 0),
        ("reset", "reset", 0, 0),
    ];
    for (name, word, first, second) in cases {
        server.reset_statistics()?;
        let start = Instant::now();
        for _ in 0..TIMES {
            let mut call = redis::cmd("EVALSHA");
            call.arg(&hash).arg(1).arg("breaker:v1:{bench:shop-7}").arg(word).arg("").arg("breaker:v1:bench");
            call.arg("shop-7").arg(3_600_000).arg(first).arg(second).arg("bench");
            call.query::<String>(&mut connection)?;
        }
        let each = start.elapsed() / TIMES;
        println!("{name}\t{}\t{}", each.as_micros(), server.micros_per_call("evalsha")?);
    }
    Ok(())
}

/// Workers that call one connection each 5 ms, one of a hundred calls failing.
fn workers() -> Result<(), Failure> {
    const SPAN: Duration = Duration::from_secs(4);
    println!("\nworkers\tcalls/s\toperations/s\tserver CPU %\tbytes/s to workers");
    for count in [1, 4, 16, 64] {
        let server = Server::start()?;
        let fleets = (0..count).map(|_| worker(&server)).collect::<Result<Vec<_>, _>>()?;
        for (_, registry) in &fleets {
            drop(registry.circuit("shop-7"));
        }
        std::thread::sleep(Duration::from_secs(1));
        let before = server.load()?;
        let start = Instant::now();
        let mut calls = 0_u32;
        while start.elapsed() < SPAN {
            for (number, (_, registry)) in fleets.iter().enumerate() {
                let failed = (calls as usize + 37 * number).is_multiple_of(100);
                let evidence = if failed { Evidence::Failed } else { Evidence::Answered };
                registry.circuit("shop-7").try_acquire()?.settle(evidence);
                calls += 1;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let seconds = start.elapsed().as_secs_f64();
        let after = server.load()?;
        println!(
            "{count}\t{:.0}\t{:.0}\t{:.2}\t{:.0}",
            f64::from(calls) / seconds,
            (after.commands - before.commands) / seconds,
            100.0 * (after.cpu - before.cpu) / seconds,
            (after.bytes_out - before.bytes_out) / seconds,
        );
    }
    Ok(())
}

/// Connections of one worker, each of which fails once: what the server keeps, and how long a comparison of all takes.
fn connections() -> Result<(), Failure> {
    println!("\nconnections\tserver bytes each\tfirst failures told in ms\tcompared in ms\tserver CPU ms a comparison");
    for count in [10, 1_000, 10_000, 100_000] {
        let server = Server::start()?;
        let (fleet, registry) = worker(&server)?;
        let empty = server.load()?.memory;
        let start = Instant::now();
        // In portions that the queue has room for, as calls would come.
        for portion in (0..count).collect::<Vec<u32>>().chunks(5_000) {
            for number in portion {
                registry.circuit(&("crm", *number)).try_acquire()?.settle(Evidence::Failed);
            }
            assert!(fleet.flush(Duration::from_mins(1)), "the server is too slow");
        }
        let told = start.elapsed();
        let before = server.load()?;
        let bytes = (before.memory - empty) / f64::from(count);
        let answered = || fleet.snapshot().answered;
        let (done, start) = (answered(), Instant::now());
        let wanted = done + u64::from(count);
        // The next comparison comes within the interval; from its first answer to its last it is measured.
        while answered() == done {
            std::thread::sleep(Duration::from_micros(100));
        }
        let began = Instant::now();
        while answered() < wanted && start.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_micros(100));
        }
        let compared = began.elapsed();
        let after = server.load()?;
        println!(
            "{count}\t{bytes:.0}\t{}\t{}\t{:.0}",
            told.as_millis(),
            compared.as_millis(),
            1_000.0 * (after.cpu - before.cpu)
        );
    }
    Ok(())
}

fn worker(server: &Server) -> Result<(Fleet, Registry), Failure> {
    let fleet = Fleet::builder(server.url()).namespace("bench").start()?;
    let config = Config::builder().failure_threshold(1_000_000).build()?;
    let registry = Registry::builder().config(config).fleet(fleet.clone()).capacity(1_000_000).build()?;
    let start = Instant::now();
    while !(fleet.snapshot().connected && fleet.snapshot().subscribed) {
        assert!(start.elapsed() < Duration::from_secs(10), "no server");
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok((fleet, registry))
}
