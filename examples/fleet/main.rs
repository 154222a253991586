//! Four worker processes, one shop, and a redis-server that they share their circuits through.
//!
//! `cargo run --example fleet`, with a `redis-server` in the path.
//!
//! The shop goes down: the circuit opens once for all. One worker probes, and while the shop is down it is called once a
//! cooldown, by whoever that is. The shop heals, and all call it again. Then the server is killed, the shop goes down
//! again, and each worker protects itself; and when the server is back, they agree again.
//!
//! The program ends by itself, with an error if what it saw contradicts that story.

mod server;
mod shop;
mod team;
mod worker;

use std::process::ExitCode;
use std::time::Duration;

use server::Server;
use shop::Shop;
use team::Team;

/// Short, so that the story takes seconds. The default is a minute.
const COOLDOWN: Duration = Duration::from_millis(600);
const WORKERS: usize = 4;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().collect();
    if let [_, role, server, shop] = &arguments[..] {
        assert_eq!(role, "worker");
        return worker::work(server, shop).map(|()| ExitCode::SUCCESS);
    }
    let Some(mut server) = Server::start()? else {
        println!("There is no redis-server in the path (Debian: apt-get install redis-server), so there is no story.");
        return Ok(if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    };
    let shop = Shop::open()?;
    let mut team = Team::of(WORKERS, &server.url(), &shop.address())?;
    let mut story = Story::default();

    chapter(&format!("{WORKERS} workers call the shop"));
    team.watch(Duration::from_secs(1));
    story.holds(shop.calls_by_each(WORKERS), "every worker called the shop", &shop);

    chapter("the shop goes down");
    shop.be_up(false);
    team.watch(3 * COOLDOWN);
    let opened = team.count("closed -> open (threshold)") + team.count("closed -> open (fleet opened)");
    story.holds(opened == WORKERS, "the circuit opened once in each worker", &shop);
    let own = team.count("closed -> open (threshold)");
    story.holds(own <= 1, "at most one of them had to find out by itself", &shop);

    chapter("two seconds later, still down: one probe a cooldown for all of them");
    shop.forget();
    team.watch(Duration::from_secs(2));
    let probes = shop.calls();
    story.holds((1..=4).contains(&probes), &format!("the shop was called {probes} times in two seconds"), &shop);

    chapter("the shop heals");
    shop.be_up(true);
    team.clear();
    team.watch(3 * COOLDOWN);
    story.holds(team.count("-> closed (probe succeeded)") == 1, "one worker's probe found out", &shop);
    story.holds(team.count("-> closed (fleet closed)") == WORKERS - 1, "the others took its word", &shop);

    chapter("the redis-server is killed, and the shop goes down again");
    server.kill()?;
    std::thread::sleep(Duration::from_millis(300));
    team.clear();
    shop.be_up(false);
    team.watch(3 * COOLDOWN);
    story.holds(team.count("closed -> open (threshold)") == WORKERS, "each worker opened its own circuit", &shop);

    chapter("both are back");
    server.start_again()?;
    shop.be_up(true);
    team.clear();
    team.watch(Duration::from_secs(3));
    story.holds(team.count("answers again") == WORKERS, "each worker is part of the fleet again", &shop);
    shop.forget();
    team.watch(Duration::from_secs(1));
    story.holds(shop.calls_by_each(WORKERS), "and calls the shop", &shop);
    Ok(story.end())
}

fn chapter(title: &str) {
    println!("\n-- {title}");
}

/// Whether what was told was true.
#[derive(Default)]
struct Story {
    contradictions: usize,
}

impl Story {
    fn holds(&mut self, is_so: bool, what: &str, shop: &Shop) {
        if is_so {
            println!("   {what}");
        } else {
            self.contradictions += 1;
            println!("   NOT SO: {what} (calls by worker: {:?})", shop.calls_by_worker());
        }
    }

    fn end(self) -> ExitCode {
        if self.contradictions == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
