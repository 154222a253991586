//! The scenario, and the check of its course.

use std::error::Error;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::shop::{Behaviour, Shop};
use crate::workers::{WorkerEvent, Workers};
use crate::{COOLDOWN, FAILURES, wall};

const WORKERS: usize = 4;

struct Report {
    start: Instant,
    /// The longest time that a call took in addition to its own work while everything was healthy, which is due to the
    /// machine.
    longest: Duration,
    contradictions: Vec<String>,
}

impl Report {
    /// Prints a step of the scenario.
    fn step(&self, what: &str) {
        println!("{:6.3} s  -- {what}", self.start.elapsed().as_secs_f64());
    }

    fn line(&self, what: &str) {
        println!("{:6.3} s     {what}", self.start.elapsed().as_secs_f64());
    }

    fn expect(&mut self, holds: bool, what: &str) {
        if !holds {
            self.contradictions.push(what.to_owned());
        }
    }

    /// Prints when each worker's circuit changed its state, relative to the first.
    fn say_each(&self, changes: &[WorkerEvent]) {
        let first = changes.iter().map(|change| change.at).min().unwrap_or(0);
        for WorkerEvent { worker, at, what } in changes {
            let after = Duration::from_micros(at - first).as_secs_f64() * 1e3;
            self.line(&format!("worker {worker}: {what}, {after:.2} ms after the first"));
        }
    }
}

/// Runs the scenario and returns every deviation from the expected course.
pub(crate) fn run(program: &'static str) -> Result<Vec<String>, Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let shop = runtime.block_on(Shop::open())?;
    let mut server = Server::start(program)?;
    let mut workers = Workers::start(WORKERS, shop.address, &server.url())?;
    let mut report = Report { start: Instant::now(), longest: Duration::ZERO, contradictions: Vec::new() };
    report.step(&format!("{WORKERS} workers call one shop; {program} listens on {}", server.url()));
    workers.wait_for("fleet", "Subscribed", 0)?;
    pause(500);

    healthy(&mut report, &mut workers)?;
    open_once(&mut report, &mut workers, &shop)?;
    probe_once(&mut report, &mut workers, &shop)?;
    alone(&mut report, &mut workers, &shop, &mut server)?;
    together_again(&mut report, &mut workers, &shop, &mut server)?;

    report.step("the end");
    Ok(report.contradictions)
}

fn healthy(report: &mut Report, workers: &mut Workers) -> Result<(), Box<dyn Error>> {
    report.step("the shop is healthy");
    let before = workers.counts()?;
    pause(1_000);
    let after = workers.counts()?;
    let asked = after.operations - before.operations;
    report.longest = after.longest;
    report.line(&format!("{} calls in a second; the server received {asked} operations", after.answered));
    report.expect(after.answered > 0, "no call was answered by the healthy shop");
    report.expect(after.failed + after.rejected == 0, "a call to the healthy shop failed");
    report.expect(asked == 0, "the fleet's server received an operation while everything was healthy");
    Ok(())
}

fn open_once(report: &mut Report, workers: &mut Workers, shop: &Shop) -> Result<(), Box<dyn Error>> {
    report.step("the shop answers 503");
    let fault = wall();
    shop.set_behaviour(Behaviour::Unavailable);
    let openings = workers.wait_for("circuit", "open ", fault)?;
    pause(500);
    report.say_each(&openings);
    let failed = shop.requests(fault, wall());
    report.line(&format!(
        "{failed} requests reached the shop, of which {FAILURES} opened the circuit for all and the rest were under way"
    ));
    report.line(&format!("since then {} calls were rejected at once", workers.counts()?.rejected));
    report.expect(workers.events("circuit", "open ", fault).len() == WORKERS, "the circuit did not open exactly once");
    let most = FAILURES as usize * WORKERS;
    report.expect(failed < most, "as many requests failed as without a fleet");
    Ok(())
}

fn probe_once(report: &mut Report, workers: &mut Workers, shop: &Shop) -> Result<(), Box<dyn Error>> {
    report.step("the shop has recovered; the workers wait for the end of the cooldown");
    let healed = wall();
    shop.set_behaviour(Behaviour::Slow);
    let closings = workers.wait_for("circuit", "closed ", healed)?;
    let closed = closings.iter().map(|closing| closing.at).min().unwrap_or(0);
    shop.set_behaviour(Behaviour::Healthy);
    let (probes, counts) = (shop.requests(healed, closed), workers.counts()?);
    report.line(&format!("{probes} probe in the whole fleet, while {} calls were rejected", counts.rejected));
    report.say_each(&closings);
    report.expect(probes == 1, "the number of probes of the whole fleet is not one");
    report.expect(counts.grants == 1, "the number of granted probes is not one");
    pause(500);
    let counts = workers.counts()?;
    report.line(&format!("{} calls in half a second", counts.answered));
    report.expect(counts.answered > 0 && counts.failed == 0, "the shop did not recover");
    Ok(())
}

fn alone(report: &mut Report, workers: &mut Workers, shop: &Shop, server: &mut Server) -> Result<(), Box<dyn Error>> {
    report.step("the server is killed");
    let killed = wall();
    server.kill()?;
    workers.wait_for("fleet", "Lost", killed)?;
    report.line("every worker reports the loss and decides alone");
    pause(1_000);
    let counts = workers.counts()?;
    report.line(&format!("{} calls in a second, none failed", counts.answered));
    report.expect(counts.answered > 0 && counts.failed + counts.rejected == 0, "a call failed because of the server");

    report.step("the shop answers 503 again");
    let fault = wall();
    shop.set_behaviour(Behaviour::Unavailable);
    workers.wait_for("circuit", "open ", fault)?;
    pause(200);
    let failed = shop.requests(fault, wall());
    report.line(&format!(
        "each worker opens its own circuit: {failed} requests reached the shop, {FAILURES} of each worker"
    ));
    report.expect(failed == FAILURES as usize * WORKERS, "a worker did not open its circuit after its own failures");
    let longest = counts.longest.max(workers.counts()?.longest);
    let usual = report.longest;
    report.line(&format!(
        "the longest that a call took beside its own work: {longest:.1?}, and {usual:.1?} with the server"
    ));
    // A call that waited for the server would take the operation limit of 100 ms.
    report.expect(longest < Duration::from_millis(100), "a call waited for the server");
    Ok(())
}

fn together_again(
    report: &mut Report,
    workers: &mut Workers,
    shop: &Shop,
    server: &mut Server,
) -> Result<(), Box<dyn Error>> {
    report.step("the server is back, without data");
    let back = wall();
    shop.set_behaviour(Behaviour::Slow);
    server.come_back()?;
    let recoveries = workers.wait_for("fleet", "Recovered", back)?;
    let last = recoveries.iter().map(|recovery| recovery.at).max().unwrap_or(back);
    let took = Duration::from_micros(last - back).as_secs_f64();
    report.line(&format!("all workers are connected {took:.2} s after its start, and have reported the open circuit"));
    let closings = workers.wait_for("circuit", "closed ", back)?;
    let closed = closings.iter().map(|closing| closing.at).min().unwrap_or(0);
    shop.set_behaviour(Behaviour::Healthy);
    let (probes, counts) = (shop.requests(back, closed), workers.counts()?);
    report.line(&format!("{probes} probe in the whole fleet, as before"));
    report.say_each(&closings);
    report.expect(took < COOLDOWN.as_secs_f64(), "the workers did not reconnect within a cooldown");
    report.expect(probes == 1, "after the server's return the number of probes of the whole fleet is not one");
    report.expect(counts.failed == 0, "a call failed after the server's return");
    Ok(())
}

fn pause(millis: u64) {
    sleep(Duration::from_millis(millis));
}
