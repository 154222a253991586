//! One probe in the whole fleet, whatever happens to earlier probes.

use crate::common::process::{Process, Settings};
use crate::common::server::Server;
use crate::common::{SECOND, ms, quantile, say, until};

/// A probe, as its process reports it.
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

// Fails when a grant ignores the lease of the last one, or a verdict the era of its grant.
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
                    process.send(&format!("hunt shop-7 {} {LEASE}", number as u64 + 10 * crashes));
                    // The process ends by a crash, and another takes its place.
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
        assert!(probe.how != "overran" || probe.is_stale, "a late verdict was accepted: {probe:?}");
        // A result that is on time is stale only if the machine stood still for a whole lease.
        let took = probe.end - probe.start;
        assert!(probe.how == "overran" || !probe.is_stale || took > 1_000 * LEASE / 2, "not accepted: {probe:?}");
    }
    assert!([overran, forgot, crashed, dropped].iter().all(|count| *count > 0));
    assert!((0..PROCESSES).all(|process| by_process(process) > 0));

    // A probe is in flight until it ends or its lease does. The lease starts with the grant, slightly before the probe.
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

// Fails when the script accepts a verdict without comparing the era.
#[test]
fn a_late_verdict_is_refused() {
    let Some(server) = Server::start() else { return };
    let settings = Settings { cooldown: ms(50), lease: SECOND, ..Settings::at(server.url()) };
    let (mut slow, mut quick) = (Process::join(&settings), Process::join(&settings));
    slow.ask("trip shop-7");
    quick.number("await shop-7 half-open 1000");
    assert_eq!(slow.ask("probe shop-7 2000"), "true");
    // No other process may probe during the lease; one may after it.
    assert_eq!(quick.ask("probe shop-7 50"), "false");
    assert_eq!(quick.ask("probe shop-7 2000"), "true");
    let granted = server.field("shop-7", "e");
    assert_eq!(slow.ask("settle answered"), "stale");
    assert_eq!(slow.ask("flush 1000"), "true");
    assert_eq!((server.field("shop-7", "s"), server.field("shop-7", "e")), (Some(2), granted));
    assert_eq!(quick.ask("settle answered"), "accepted");
    slow.number("await shop-7 closed 1000");
}

// Fails when an unclaimed grant is not withdrawn, because the next process then waits for the end of its lease.
#[test]
fn an_unclaimed_grant_is_returned() {
    let Some(server) = Server::start() else { return };
    let settings = Settings { cooldown: ms(50), lease: 20 * SECOND, ..Settings::at(server.url()) };
    let (mut asks, mut waits) = (Process::join(&settings), Process::join(&settings));
    asks.ask("trip shop-7");
    waits.number("await shop-7 half-open 1000");
    // The process asks for a grant with its first call and never calls again.
    asks.number("await shop-7 half-open 1000");
    assert_eq!(asks.number("succeed shop-7 1"), 0);
    until("it has the grant", SECOND, || server.field("shop-7", "s") == Some(2));
    assert_eq!(waits.ask("probe shop-7 5000"), "true");
    assert_eq!(waits.ask("settle answered"), "accepted");
    asks.number("await shop-7 closed 1000");
}

// Fails when a process whose calls are further apart than a grant lasts waits for a grant each time.
#[test]
fn a_rarely_called_circuit_is_still_probed() {
    let Some(server) = Server::start() else { return };
    let settings = Settings { cooldown: ms(50), lease: SECOND, ..Settings::at(server.url()) };
    let mut process = Process::join(&settings);
    process.ask("trip shop-7");
    process.number("await shop-7 half-open 1000");
    assert_eq!(process.number("succeed shop-7 1"), 0, "the first call asks for a grant");
    std::thread::sleep(ms(600));
    assert_eq!(process.number("succeed shop-7 1"), 1, "the next is let through, long after the grant was given back");
    assert_eq!(process.ask("flush 1000"), "true");
    process.number("await shop-7 closed 1000");
    // The probe claimed a grant while it was under way. Otherwise the fleet would not know its result, and would ask
    // for another probe.
    std::thread::sleep(ms(100));
    assert!(process.ask("reasons shop-7").contains("probe succeeded"));
}
