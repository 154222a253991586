//! Four processes that call one shop and share its circuit through a redis-server.
//!
//! `cargo run --example fleet`
//!
//! The program starts a shop (real HTTP on loopback), a redis-server of its own on a free port, and itself four times
//! as workers. It prints the course: the circuit opens once for all four, one probe of the whole fleet tries the shop,
//! and while the server is down each worker decides alone.
//!
//! | file | contents |
//! |---|---|
//! | `worker.rs` | the code of a service: the annotated code and the start of the fleet |
//! | `shop.rs` | the remote side |
//! | `server.rs` | the redis-server, which ends with the program in any case |
//! | `workers.rs` | the workers, as the scenario controls them |
//! | `scenario.rs` | the scenario and the check of its course |
//!
//! It ends by itself within half a minute, with an error if the observed events contradict the scenario.

mod scenario;
mod server;
mod shop;
mod worker;
mod workers;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Short, so that the example takes seconds. The default is a minute.
const COOLDOWN: Duration = Duration::from_secs(2);
const FAILURES: u32 = 5;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => {}
        ["worker", shop, fleet] => return worker::run(shop, fleet).map(|()| ExitCode::SUCCESS),
        ["keep", program, port] => return server::keep(program, port).map(|()| ExitCode::SUCCESS),
        _ => return Err("the example takes no arguments: cargo run --example fleet".into()),
    }
    let Some(program) = server::installed() else {
        eprintln!(
            "There is no redis-server or valkey-server on this machine, and this example starts one of its own.\n\
             Install it with `apt-get install redis-server` (Debian, Ubuntu), `dnf install valkey` (Fedora) or\n\
             `brew install redis` (macOS); it need not be running."
        );
        return Ok(ExitCode::FAILURE);
    };
    let contradictions = scenario::run(program)?;
    for contradiction in &contradictions {
        eprintln!("CONTRADICTION: {contradiction}");
    }
    Ok(if contradictions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Microseconds of the wall clock, which all processes on a machine share.
fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
