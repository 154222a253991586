//! One process of the whole fleet probes, whatever becomes of the ones that did before.

mod common;

use common::process::{Process, Settings};
use common::server::Server;
use common::{SECOND, ms, quantile, say, until};

/// Not a test: what this program runs when a test starts it as a process of the fleet.
#[test]
#[ignore = "started by the tests"]
fn worker() {
    common::worker::run();
}

/// A probe, as its process tells of it.
#[derive(Debug)]
struct Probe {
    process: usize,
    start: u64,
    end: u64,
    how: String,
    is_stale: bool,
}

fn parse(process: usize, line: &str) -> Probe {
    let words: Vec<_> = line.split(' ').collect();
    let number = |position: usize| words[position].parse().unwrap();
    Probe { process, start: number(0), end: number(1), how: words[2].to_owned(), is_stale: words[3] == "stale" }
}

// Red when a grant does not look at the lease, or a conclusion not at the era.
#[test]
fn one_probe_is_in_flight_in_two_thousand_rounds() {
    const ROUNDS: usize = 2_000;
    const PROCESSES: usize = 4;
    const LEASE: u64 = 60;
    let Some(server) = Server::start() else { return };
    let settings = Settings { threshold: 1, cooldown: ms(1), lease: ms(LEASE), ..Settings::at(server.url()) };
    let (sender, lines) = std::sync::mpsc::channel();
    let end = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let holders: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let (settings, sender, end) = (settings.clone(), sender.clone(), end.clone());
            std::thread::spawn(move || {
                let mut crashes = 0_u64;
                while !end.load(std::sync::atomic::Ordering::Relaxed) {
                    let mut process = Process::join(&settings);
                    process.tell(&format!("hunt shop-7 {} {LEASE}", number as u64 + 10 * crashes));
                    // It ends by crashing, and another takes its place.
                    while let Some(line) = process.line() {
                        if sender.send(parse(number, &line)).is_err() || end.load(std::sync::atomic::Ordering::Relaxed)
                        {
                            break;
                        }
                    }
                    crashes += 1;
                }
            })
        })
        .collect();
    let mut probes: Vec<_> = lines.iter().take(ROUNDS).collect();
    end.store(true, std::sync::atomic::Ordering::Relaxed);
    drop(lines);
    for holder in holders {
        holder.join().unwrap();
    }

    let count = |how: &str| probes.iter().filter(|probe| probe.how == how).count();
    let by_process = |process| probes.iter().filter(|probe| probe.process == process).count();
    let [overran, forgot, crashed, dropped] = ["overran", "forgot", "crashed", "dropped"].map(count);
    say!(
        "{ROUNDS} probes by {PROCESSES} processes {:?}: {overran} overran their lease, {forgot} were forgotten, \
         {crashed} crashed, {dropped} were dropped, {} failed, {} were answered",
        [0, 1, 2, 3].map(by_process),
        count("failed"),
        count("answered")
    );
    for probe in &probes {
        assert!(probe.how != "overran" || probe.is_stale, "a late verdict was heard: {probe:?}");
        // On time, and yet stale: only where the machine stood still for a lease.
        let took = probe.end - probe.start;
        assert!(probe.how == "overran" || !probe.is_stale || took > 1_000 * LEASE / 2, "not heard: {probe:?}");
    }
    assert!([overran, forgot, crashed, dropped].iter().all(|count| *count > 0));
    assert!((0..PROCESSES).all(|process| by_process(process) > 0));

    // A holder is in flight until it ended or its lease did, which began when it was granted, a little before the probe.
    probes.sort_unstable_by_key(|probe| probe.start);
    let margin = 1_000 * LEASE / 4;
    let mut gaps = Vec::new();
    for pair in probes.windows(2) {
        let lapsed = pair[0].start + 1_000 * LEASE - margin;
        let is_held = matches!(&*pair[0].how, "overran" | "forgot" | "crashed");
        let free = if is_held { lapsed } else { pair[0].end.min(lapsed) };
        assert!(pair[1].start >= free, "two probes in flight: {pair:?}");
        gaps.push(pair[1].start - free);
    }
    say!("from one probe to the next, a cooldown of 1 ms included: {} us at the median", quantile(&mut gaps, 0.5));
}

// Red when the script concludes without looking at the era.
#[test]
fn a_late_verdict_is_refused() {
    let Some(server) = Server::start() else { return };
    let settings = Settings { cooldown: ms(50), lease: ms(200), ..Settings::at(server.url()) };
    let (mut slow, mut quick) = (Process::join(&settings), Process::join(&settings));
    slow.ask("trip shop-7");
    quick.number("await shop-7 open 1000");
    assert_eq!(slow.ask("probe shop-7 2000"), "true");
    // While it holds the lease nobody else may probe; then somebody may.
    assert_eq!(quick.ask("probe shop-7 50"), "false");
    assert_eq!(quick.ask("probe shop-7 2000"), "true");
    let granted = server.field("shop-7", "e");
    assert_eq!(slow.ask("settle answered"), "stale");
    assert_eq!(slow.ask("flush 1000"), "true");
    assert_eq!((server.field("shop-7", "s"), server.field("shop-7", "e")), (Some(2), granted));
    assert_eq!(quick.ask("settle answered"), "heard");
    slow.number("await shop-7 closed 1000");
}

// Red when nobody takes back what nobody came for: then the next process waits for the lease.
#[test]
fn a_grant_that_nobody_collects_is_given_back() {
    let Some(server) = Server::start() else { return };
    let settings = Settings { cooldown: ms(50), lease: 20 * SECOND, ..Settings::at(server.url()) };
    let (mut asks, mut waits) = (Process::join(&settings), Process::join(&settings));
    asks.ask("trip shop-7");
    waits.number("await shop-7 half-open 1000");
    // It asks for leave with its first call, and never calls again.
    asks.number("await shop-7 half-open 1000");
    assert_eq!(asks.number("succeed shop-7 1"), 0);
    until("it has leave", SECOND, || server.field("shop-7", "s") == Some(2));
    assert_eq!(waits.ask("probe shop-7 5000"), "true");
    assert_eq!(waits.ask("settle answered"), "heard");
    asks.number("await shop-7 closed 1000");
}

// Red when a process that is called less often than its grants last waits for leave again and again.
#[test]
fn what_is_called_seldom_is_probed_all_the_same() {
    let Some(server) = Server::start() else { return };
    let settings = Settings { cooldown: ms(50), lease: SECOND, ..Settings::at(server.url()) };
    let mut process = Process::join(&settings);
    process.ask("trip shop-7");
    process.number("await shop-7 half-open 1000");
    assert_eq!(process.number("succeed shop-7 1"), 0, "the first call asks for leave");
    std::thread::sleep(ms(600));
    assert_eq!(process.number("succeed shop-7 1"), 1, "the next is let through, long after the grant was given back");
    assert_eq!(process.ask("flush 1000"), "true");
    process.number("await shop-7 closed 1000");
    // It claimed a grant while it was under way, or the fleet hears nothing of it and asks for another probe.
    std::thread::sleep(ms(100));
    assert!(process.ask("reasons shop-7").contains("probe succeeded"));
}
