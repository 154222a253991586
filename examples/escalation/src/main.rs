//! One outage from the opening of the circuit to the reconnect, with a restart of the program in between.
//!
//! `cargo run --manifest-path examples/escalation/Cargo.toml [FOLDER]`
//!
//! With a folder, the program uses the files in that folder, runs ten rounds while cedar is down, and ends. The tests
//! use this mode to crash and restart the program.

use std::error::Error;
use std::path::Path;

use breaker_core::Registry;
use escalation::{Round, Service, Store, TicketSystem};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SHOPS: [&str; 3] = ["crm:acorn", "crm:birch", "crm:cedar"];
const CEDAR: &str = SHOPS[2];

fn start(folder: &Path) -> Result<Service> {
    let store = Store::open(&folder.join("service.sqlite"))?;
    for shop in SHOPS {
        store.add(shop)?;
    }
    Ok(Service::start(store, TicketSystem::open(&folder.join("ticket_system.sqlite"))?, Registry::builder())?)
}

fn rounds(service: &Service, rounds: u32, cedar_is_up: bool) -> Result<Round> {
    let mut sum = Round::default();
    for _ in 0..rounds {
        let round = service.round(|key| key != CEDAR || cedar_is_up)?;
        sum.answered += round.answered;
        sum.failed += round.failed;
        sum.rejected += round.rejected;
    }
    Ok(sum)
}

fn main() -> Result<()> {
    if let Some(folder) = std::env::args_os().nth(1) {
        rounds(&start(Path::new(&folder))?, 10, false)?;
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("escalation-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = run_outage(&folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn run_outage(folder: &Path) -> Result<()> {
    println!("cedar is down");
    let service = start(folder)?;
    let outage = rounds(&service, 10, false)?;
    println!("  ten rounds: {outage:?}");
    println!("  cedar: {:?}", service.store().status(CEDAR)?);
    println!("  tickets: {:?}", service.ticket_system().tickets()?);
    expect(outage == Round { answered: 20, failed: 5, rejected: 0 }, "five failures, and then cedar is skipped")?;

    println!("the program starts again, with cedar still down");
    drop(service);
    let service = start(folder)?;
    let after = rounds(&service, 10, false)?;
    println!("  ten rounds: {after:?}");
    expect(after == Round { answered: 20, failed: 0, rejected: 0 }, "cedar is skipped after a restart too")?;
    expect(service.ticket_system().tickets()?.len() == 1, "one ticket for one opening")?;

    println!("cedar has recovered and is reconnected");
    service.reconnect(CEDAR)?;
    let back = rounds(&service, 10, true)?;
    println!("  ten rounds: {back:?}");
    println!("  cedar: {:?}", service.store().status(CEDAR)?);
    expect(back.answered == 30, "all shops are called again")
}

fn expect(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(format!("CONTRADICTION: {what}").into()) }
}
