//! The load of the server by the number of workers and connections.
#![expect(clippy::cast_precision_loss, reason = "counts are small")]

use std::fmt::Write as _;
use std::thread::sleep;
use std::time::{Duration, Instant};

use breaker_benches::server::{Info, Server, wait_for};
use breaker_core::{Circuit, Config, Evidence, Registry, State};
use breaker_redis::Fleet;

/// Workers and connections.
const SIZES: [(usize, usize); 6] = [(1, 1_000), (4, 1_000), (16, 1_000), (64, 1_000), (4, 10), (4, 100_000)];
const COOLDOWN: Duration = Duration::from_secs(5);
/// With more connections than this, only the start of their outage is measured.
const MANY: usize = 10_000;

/// The default where polls cause the load, and otherwise a fifth of it, so that a few seconds contain several polls.
fn poll(connections: usize) -> Duration {
    Duration::from_secs(if connections > MANY { 10 } else { 2 })
}

/// One worker: a thread of its own and two connections to the server, like a process.
struct Worker {
    fleet: Fleet,
    /// Kept alive, because a fleet reaches circuits only through it.
    _registry: Registry,
    circuits: Vec<Circuit>,
}

pub(crate) fn measure() {
    println!(
        "workers\tconnections\tpoll s\tphase\tscript calls /s\tpings /s\tkB/s in\tkB/s out\tserver's processor %\tnote"
    );
    let asked: Vec<usize> = std::env::args().skip(1).map(|number| number.parse().expect("a number")).collect();
    match asked[..] {
        [] => {
            for (workers, connections) in SIZES {
                size(workers, connections);
            }
            println!();
            println!("workers\tcalls /s, one of a hundred failing\tscript calls /s\tserver's processor %");
            for workers in [1, 4, 16, 64] {
                now_and_then(workers);
            }
        }
        [workers, connections] => size(workers, connections),
        _ => panic!("two numbers: workers and connections"),
    }
}

fn size(workers: usize, connections: usize) {
    let (server, poll) = (Server::start(), poll(connections));
    let empty = server.info();
    let crew: Vec<_> = (0..workers).map(|_| Worker::start(&server, connections)).collect();
    for worker in &crew {
        wait_for(&worker.fleet);
    }
    let line = |phase: &str, before: &Info, after: &Info, note: &str| {
        println!("{workers}\t{connections}\t{}\t{phase}\t{}\t{note}", poll.as_secs(), rates(before, after));
    };

    let before = server.info();
    let each = (before.number("used_memory") - empty.number("used_memory")) / workers as f64 / 1e3;
    line("joining", &empty, &before, &format!("{each:.0} kB of the server's memory for each worker"));
    calls_until(&crew, Evidence::Answered, (2 * poll).min(2 * COOLDOWN), || false);
    let healthy = server.info();
    line("healthy", &before, &healthy, "");

    let start = Instant::now();
    let are_open = || crew.iter().flat_map(|worker| &worker.circuits).all(|circuit| circuit.state() == State::Open);
    calls_until(&crew, Evidence::Failed, 12 * COOLDOWN, are_open);
    let took = start.elapsed().as_secs_f64();
    let open = server.info();
    let calls = open.of_command("evalsha", "calls") - healthy.of_command("evalsha", "calls");
    let mut note =
        format!("all open everywhere after {took:.2} s; {:.1} script calls a connection", calls / connections as f64);
    // With few connections, the buffers of the server take more memory than the circuits.
    if connections > MANY {
        let bytes = (open.number("used_memory") - healthy.number("used_memory")) / connections as f64;
        let _ = write!(note, ", and {bytes:.0} bytes");
    }
    line("all go down", &healthy, &open, &note);
    if connections <= MANY {
        calls_until(&crew, Evidence::Failed, 5 * COOLDOWN / 4, || false);
        line("all are down", &open, &server.info(), "");
    }
    let snapshots: Vec<_> = crew.iter().map(|worker| worker.fleet.snapshot()).collect();
    let losses: u64 = snapshots.iter().map(|snapshot| snapshot.losses).sum();
    if losses > 0 {
        let dropped: u64 = snapshots.iter().map(|snapshot| snapshot.dropped).sum();
        println!(
            "{workers}\t{connections}\t{}\tthe server was lost {losses} times, and {dropped} reports were dropped",
            poll.as_secs()
        );
    }
}

impl Worker {
    fn start(server: &Server, connections: usize) -> Self {
        let fleet =
            Fleet::builder(server.url()).poll_every(poll(connections)).queue(1 << 20).start().expect("in range");
        // If the cooldown ended before the last of many connections has failed, the cost of the failures would not
        // show.
        let cooldown = if connections > MANY { 60 * COOLDOWN } else { COOLDOWN };
        let config = Config::builder().cooldown(cooldown).build().expect("in range");
        let registry = Registry::builder().config(config).fleet(fleet.clone()).build().expect("in range");
        let circuits = (0..connections).map(|number| registry.circuit(&*format!("connection-{number:08}"))).collect();
        Self { fleet, _registry: registry, circuits }
    }
}

/// All workers call one connection every 5 ms, and one of a hundred calls fails, so that the next answer is reported.
fn now_and_then(workers: usize) {
    const WINDOW: Duration = Duration::from_secs(3);
    let server = Server::start();
    let crew: Vec<_> = (0..workers).map(|_| Worker::start(&server, 1)).collect();
    for worker in &crew {
        wait_for(&worker.fleet);
    }
    let before = server.info();
    let mut calls = 0_u32;
    while before.at.elapsed() < WINDOW {
        for (number, worker) in crew.iter().enumerate() {
            // The workers fail in different rounds.
            let evidence =
                if (calls as usize + 37 * number).is_multiple_of(100) { Evidence::Failed } else { Evidence::Answered };
            if let Ok(permit) = worker.circuits[0].try_acquire() {
                permit.settle(evidence);
            }
            calls += 1;
        }
        sleep(Duration::from_millis(5));
    }
    let after = server.info();
    let seconds = (after.at - before.at).as_secs_f64();
    println!(
        "{workers}\t{:.0}\t{:.0}\t{:.1}",
        f64::from(calls) / seconds,
        (after.of_command("evalsha", "calls") - before.of_command("evalsha", "calls")) / seconds,
        (after.processor() - before.processor()) / seconds * 100.0,
    );
}

/// Every worker calls every connection ten times a second, or 10,000 of its connections a second if it has more than a
/// thousand.
fn calls_until(crew: &[Worker], evidence: Evidence, within: Duration, is_enough: impl Fn() -> bool) {
    const STEP: usize = 1_000;
    let start = Instant::now();
    while start.elapsed() < within && !is_enough() {
        let connections = crew[0].circuits.len();
        for first in (0..connections).step_by(STEP) {
            for worker in crew {
                for circuit in &worker.circuits[first..(first + STEP).min(connections)] {
                    if let Ok(permit) = circuit.try_acquire() {
                        permit.settle(evidence);
                    }
                }
            }
            sleep(Duration::from_millis(100));
        }
    }
}

fn rates(before: &Info, after: &Info) -> String {
    let seconds = (after.at - before.at).as_secs_f64();
    let calls = |command| (after.of_command(command, "calls") - before.of_command(command, "calls")) / seconds;
    let kilobytes = |name, ours| (after.number(name) - before.number(name) - ours) / seconds / 1e3;
    format!(
        "{:.0}\t{:.1}\t{:.1}\t{:.1}\t{:.1}",
        calls("evalsha"),
        calls("ping"),
        kilobytes("total_net_input_bytes", 0.0),
        kilobytes("total_net_output_bytes", before.bytes),
        (after.processor() - before.processor()) / seconds * 100.0,
    )
}
