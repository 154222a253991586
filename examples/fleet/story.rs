//! The scenario, and the check of its course.

use std::error::Error;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::crew::{Crew, Happening};
use crate::server::Server;
use crate::shop::{Mood, Shop};
use crate::{COOLDOWN, FAILURES, wall};

const WORKERS: usize = 4;

struct Teller {
    start: Instant,
    /// The longest time that a call took in addition to its own work while everything was healthy, which is due to the
    /// machine.
    longest: Duration,
    contradictions: Vec<String>,
}

impl Teller {
    /// Prints a step of the scenario.
    fn turn(&self, what: &str) {
        println!("{:6.3} s  -- {what}", self.start.elapsed().as_secs_f64());
    }

    fn say(&self, what: &str) {
        println!("{:6.3} s     {what}", self.start.elapsed().as_secs_f64());
    }

    fn expect(&mut self, holds: bool, what: &str) {
        if !holds {
            self.contradictions.push(what.to_owned());
        }
    }

    /// Prints when each worker's circuit changed its state, relative to the first.
    fn say_each(&self, changes: &[Happening]) {
        let first = changes.iter().map(|change| change.at).min().unwrap_or(0);
        for Happening { worker, at, what } in changes {
            let after = Duration::from_micros(at - first).as_secs_f64() * 1e3;
            self.say(&format!("worker {worker}: {what}, {after:.2} ms after the first"));
        }
    }
}

/// Runs the scenario and returns every deviation from the expected course.
pub(crate) fn tell(program: &'static str) -> Result<Vec<String>, Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let shop = runtime.block_on(Shop::open())?;
    let mut server = Server::start(program)?;
    let mut crew = Crew::start(WORKERS, shop.address, &server.url())?;
    let mut teller = Teller { start: Instant::now(), longest: Duration::ZERO, contradictions: Vec::new() };
    teller.turn(&format!("{WORKERS} workers call one shop; {program} listens on {}", server.url()));
    crew.wait_for("fleet", "Subscribed", 0)?;
    pause(500);

    healthy(&mut teller, &mut crew)?;
    open_once(&mut teller, &mut crew, &shop)?;
    probe_once(&mut teller, &mut crew, &shop)?;
    alone(&mut teller, &mut crew, &shop, &mut server)?;
    together_again(&mut teller, &mut crew, &shop, &mut server)?;

    teller.turn("the end");
    Ok(teller.contradictions)
}

fn healthy(teller: &mut Teller, crew: &mut Crew) -> Result<(), Box<dyn Error>> {
    teller.turn("the shop is healthy");
    let before = crew.tally()?;
    pause(1_000);
    let after = crew.tally()?;
    let asked = after.operations - before.operations;
    teller.longest = after.longest;
    teller.say(&format!("{} calls in a second; the server was asked {asked} times", after.answered));
    teller.expect(after.answered > 0, "no call was answered by the healthy shop");
    teller.expect(after.failed + after.rejected == 0, "a call to the healthy shop failed");
    teller.expect(asked == 0, "the fleet's server was asked while all was well");
    Ok(())
}

fn open_once(teller: &mut Teller, crew: &mut Crew, shop: &Shop) -> Result<(), Box<dyn Error>> {
    teller.turn("the shop answers 503");
    let fault = wall();
    shop.be(Mood::Unavailable);
    let openings = crew.wait_for("circuit", "open ", fault)?;
    pause(500);
    teller.say_each(&openings);
    let failed = shop.requests(fault, wall());
    teller.say(&format!(
        "{failed} requests reached the shop, of which {FAILURES} opened the circuit for all and the rest were under way"
    ));
    teller.say(&format!("since then {} calls were rejected on the spot", crew.tally()?.rejected));
    teller.expect(crew.happenings("circuit", "open ", fault).len() == WORKERS, "the circuit did not open exactly once");
    let most = FAILURES as usize * WORKERS;
    teller.expect(failed < most, "as many requests failed as without a fleet");
    Ok(())
}

fn probe_once(teller: &mut Teller, crew: &mut Crew, shop: &Shop) -> Result<(), Box<dyn Error>> {
    teller.turn("the shop has healed; the workers wait for the end of the cooldown");
    let healed = wall();
    shop.be(Mood::Slow);
    let closings = crew.wait_for("circuit", "closed ", healed)?;
    let closed = closings.iter().map(|closing| closing.at).min().unwrap_or(0);
    shop.be(Mood::Healthy);
    let (probes, tally) = (shop.requests(healed, closed), crew.tally()?);
    teller.say(&format!("{probes} probe in the whole fleet, while {} calls were rejected", tally.rejected));
    teller.say_each(&closings);
    teller.expect(probes == 1, "not exactly one call of the fleet probed the shop");
    teller.expect(tally.grants == 1, "not exactly one worker was given leave to probe");
    pause(500);
    let tally = crew.tally()?;
    teller.say(&format!("{} calls in half a second", tally.answered));
    teller.expect(tally.answered > 0 && tally.failed == 0, "the shop did not recover");
    Ok(())
}

fn alone(teller: &mut Teller, crew: &mut Crew, shop: &Shop, server: &mut Server) -> Result<(), Box<dyn Error>> {
    teller.turn("the server is killed");
    let killed = wall();
    server.kill()?;
    crew.wait_for("fleet", "Lost", killed)?;
    teller.say("every worker knows, and goes on alone");
    pause(1_000);
    let tally = crew.tally()?;
    teller.say(&format!("{} calls in a second, none failed", tally.answered));
    teller.expect(tally.answered > 0 && tally.failed + tally.rejected == 0, "a call failed because of the server");

    teller.turn("the shop answers 503 once more");
    let fault = wall();
    shop.be(Mood::Unavailable);
    crew.wait_for("circuit", "open ", fault)?;
    pause(200);
    let failed = shop.requests(fault, wall());
    teller.say(&format!("each worker protects itself: {failed} requests reached the shop, {FAILURES} of each worker"));
    teller.expect(failed == FAILURES as usize * WORKERS, "a worker alone did not open after its own failures");
    let longest = tally.longest.max(crew.tally()?.longest);
    let usual = teller.longest;
    teller.say(&format!(
        "the longest that a call took beside its own work: {longest:.1?}, and {usual:.1?} with the server"
    ));
    // A call that waited for the server would take the operation limit of 100 ms.
    teller.expect(longest < Duration::from_millis(100), "a call waited for the server");
    Ok(())
}

fn together_again(
    teller: &mut Teller,
    crew: &mut Crew,
    shop: &Shop,
    server: &mut Server,
) -> Result<(), Box<dyn Error>> {
    teller.turn("the server is back, and knows nothing");
    let back = wall();
    shop.be(Mood::Slow);
    server.come_back()?;
    let recoveries = crew.wait_for("fleet", "Recovered", back)?;
    let last = recoveries.iter().map(|recovery| recovery.at).max().unwrap_or(back);
    let took = Duration::from_micros(last - back).as_secs_f64();
    teller.say(&format!("all workers are connected {took:.2} s after its start, and have told it of the open circuit"));
    let closings = crew.wait_for("circuit", "closed ", back)?;
    let closed = closings.iter().map(|closing| closing.at).min().unwrap_or(0);
    shop.be(Mood::Healthy);
    let (probes, tally) = (shop.requests(back, closed), crew.tally()?);
    teller.say(&format!("{probes} probe in the whole fleet, as before"));
    teller.say_each(&closings);
    teller.expect(took < COOLDOWN.as_secs_f64(), "the workers did not find the server again within a cooldown");
    teller.expect(probes == 1, "after the server's return not exactly one call of the fleet probed the shop");
    teller.expect(tally.failed == 0, "a call failed after the server's return");
    Ok(())
}

fn pause(millis: u64) {
    sleep(Duration::from_millis(millis));
}
