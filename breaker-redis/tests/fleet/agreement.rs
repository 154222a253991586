//! Agreement of several processes through one server: a circuit opens once for all, no failure is lost, and updates
//! spread.

use std::collections::HashMap;

use crate::common::process::{Process, Settings};
use crate::common::server::Server;
use crate::common::{SECOND, ms, quantile, say, until, wall};

const PROCESSES: usize = 4;

fn fleet_of(count: usize, settings: &Settings) -> Vec<Process> {
    let mut processes: Vec<_> = (0..count).map(|_| Process::start(settings)).collect();
    processes.iter_mut().for_each(Process::wait_until_connected);
    processes
}

// Fails when the script counts and decides in two steps, or opens a circuit that is already open.
#[test]
fn the_circuit_opens_exactly_once_in_two_thousand_rounds() {
    const ROUNDS: u64 = 2_000;
    let Some(server) = Server::start() else { return };
    let mut listener = server.client();
    let mut channel = listener.as_pubsub();
    channel.subscribe("breaker:v1:tests").unwrap();
    channel.set_read_timeout(Some(SECOND)).unwrap();

    let settings = Settings { threshold: 4, ..Settings::at(server.url()) };
    let mut processes = fleet_of(PROCESSES, &settings);
    let start = wall() + 300_000;
    for process in &mut processes {
        process.send(&format!("storm {start} {ROUNDS} 2500"));
    }
    let mut openings = HashMap::<String, u32>::new();
    while let Ok(message) = channel.get_message() {
        let text: String = message.get_payload().unwrap();
        let words: Vec<_> = text.split(' ').collect();
        if words[2] == "1" {
            *openings.entry(words[0].to_owned()).or_default() += 1;
        }
    }
    for process in &mut processes {
        assert_eq!(process.answer(), ROUNDS.to_string(), "a process did not see all of them open");
    }
    let more: Vec<_> = openings.iter().filter(|(_, times)| **times != 1).collect();
    assert_eq!(openings.len() as u64, ROUNDS, "opened at all");
    assert!(more.is_empty(), "opened more than once: {more:?}");
    say!("{ROUNDS} rounds, {PROCESSES} processes failing at once: {} openings announced", openings.len());
}

#[test]
fn no_failure_is_lost() {
    const EACH: u64 = 5_000;
    let Some(server) = Server::start() else { return };
    let settings = Settings { threshold: 1_000_000, ..Settings::at(server.url()) };
    let mut processes = fleet_of(8, &settings);
    for attempt in 0..3 {
        let before: u64 = processes.iter_mut().map(|process| process.number("dropped")).sum();
        for process in &mut processes {
            process.send(&format!("fail crm:{attempt} {EACH}"));
        }
        let mut dropped = 0;
        for process in &mut processes {
            assert_eq!(process.answer(), EACH.to_string());
            assert_eq!(process.ask("flush 20000"), "true");
            dropped += process.number("dropped");
        }
        if dropped > before {
            // Dropped reports are counted, which another test covers.
            say!(
                "the machine stood still for longer than the server may take, and {} reports were dropped",
                dropped - before
            );
            continue;
        }
        let counted = server.field(&format!("crm%3A{attempt}"), "n");
        say!("8 processes reported {} failures, the server counted {counted:?}", 8 * EACH);
        assert_eq!(counted, Some(8 * EACH));
        return;
    }
    panic!("the machine is too busy for this");
}

#[test]
fn failures_of_all_processes_form_one_streak() {
    let Some(server) = Server::start() else { return };
    // The poll is too rare to make up for a missing message.
    let mut processes = fleet_of(3, &Settings { poll: 600 * SECOND, ..Settings::at(server.url()) });
    for process in &mut processes {
        assert_eq!(process.number("fail shop-7 1"), 1);
    }
    for process in &mut processes {
        process.number("await shop-7 open 1000");
    }
    // An answer in one process clears the failures of another, because a failure is published each time the streak
    // starts.
    assert_eq!(processes[1].ask("state shop-8"), "closed");
    assert_eq!(processes[1].ask("flush 1000"), "true");
    for _ in 0..3 {
        assert_eq!(processes[0].number("fail shop-8 1"), 1);
        until("the failure is counted", SECOND, || server.field("shop-8", "n") == Some(1));
        until("the answer clears it", SECOND, || {
            processes[1].number("succeed shop-8 1");
            server.field("shop-8", "n") == Some(0)
        });
        assert_eq!(processes[0].number("succeed shop-8 1"), 1);
    }
    assert_eq!(processes[2].number("fail shop-8 2"), 2);
    assert_eq!(processes[2].ask("state shop-8"), "closed");
}

#[test]
fn in_process_scope_each_process_counts_for_itself() {
    let Some(server) = Server::start() else { return };
    let mut processes = fleet_of(2, &Settings { scope: "process", ..Settings::at(server.url()) });
    for process in &mut processes {
        assert_eq!(process.number("fail shop-7 2"), 2);
        assert_eq!(process.ask("flush 1000"), "true");
    }
    assert_eq!(server.field("shop-7", "n"), None, "it was not reported");
    assert_eq!(processes[0].number("fail shop-7 5"), 1);
    processes[1].number("await shop-7 open 1000");
}

#[test]
fn commands_reach_all_processes_and_a_joining_process_only_reads() {
    let Some(server) = Server::start() else { return };
    let settings = Settings::at(server.url());
    let mut processes = fleet_of(2, &settings);
    processes[1].ask("state shop-7");
    processes[0].ask("hold shop-7");
    processes[1].number("await shop-7 open 1000");
    assert_eq!(processes[1].ask("held shop-7"), "true");
    let era = server.field("shop-7", "e");
    let writes = || {
        let text: String = redis::cmd("INFO").arg("commandstats").query(&mut server.client()).unwrap();
        let of = |name: &str| text.lines().find(|line| line.starts_with(name)).map(ToOwned::to_owned);
        // The counts in these lines, and also the times, stay the same only if the commands were not called again.
        [of("cmdstat_hset:"), of("cmdstat_pexpire:"), of("cmdstat_publish:")]
    };
    let before = writes();
    let mut late = Process::join(&settings);
    late.number("await shop-7 open 1000");
    assert_eq!(late.ask("held shop-7"), "true");
    assert_eq!(server.field("shop-7", "e"), era);
    assert_eq!(writes(), before, "a process that joins has written");
    late.ask("reset shop-7");
    for process in &mut processes {
        process.number("await shop-7 closed 1000");
        assert_eq!(process.number("succeed shop-7 3"), 3);
    }
    // A trip applies to all processes too.
    processes[1].ask("trip shop-7");
    late.number("await shop-7 open 1000");
    processes[0].number("await shop-7 open 1000");
    until("the event is reported", SECOND, || processes[0].ask("reasons shop-7") == "held, fleet closed, fleet opened");
}

#[test]
fn changes_spread_in_milliseconds() {
    const ROUNDS: usize = 200;
    let Some(server) = Server::start() else { return };
    let mut processes = fleet_of(2, &Settings::at(server.url()));
    let (mut opened, mut closed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (command, state, taken) in [("trip", "open", &mut opened), ("reset", "closed", &mut closed)] {
            processes[1].send(&format!("await shop-7 {state} 5000"));
            // The other process is connected and waits.
            std::thread::sleep(ms(2));
            let issued = processes[0].number(&format!("{command} shop-7"));
            let seen: u64 = processes[1].answer().parse().unwrap();
            taken.push(seen - issued);
        }
    }
    for (what, taken) in [("an opening", &mut opened), ("a reset", &mut closed)] {
        let [half, most, longest] = [0.5, 0.99, 1.0].map(|share| quantile(taken, share));
        say!("{what} spreads in {half} us at the median, {most} us at the 99th percentile, {longest} us at most");
        assert!(half < 5_000, "{half} us");
    }
}

#[test]
fn a_flush_closes_the_circuit_with_an_event() {
    let Some(server) = Server::start() else { return };
    let mut processes = fleet_of(2, &Settings::at(server.url()));
    processes[0].ask("trip shop-7");
    processes[1].number("await shop-7 open 1000");
    server.command("FLUSHALL");
    for process in &mut processes {
        process.number("await shop-7 closed 3000");
        until("the event is reported", SECOND, || process.ask("reasons shop-7").ends_with("fleet forgot"));
    }
    // No older state affects the new one.
    processes[1].ask("trip shop-7");
    processes[0].number("await shop-7 open 1000");
}

#[test]
fn a_cluster_of_one_node_accepts_every_command() {
    let Some(server) = Server::start_with(&["--cluster-enabled", "yes"]) else { return };
    server.command("CLUSTER ADDSLOTSRANGE 0 16383");
    until("the cluster is up", 10 * SECOND, || {
        let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut server.client()).unwrap();
        info.contains("cluster_state:ok")
    });
    let mut processes = fleet_of(2, &Settings { cooldown: ms(100), ..Settings::at(server.url()) });
    for command in ["fail shop-7 1", "succeed shop-7 1", "fail shop-7 3", "trip shop-7", "hold shop-7"] {
        processes[0].ask(command);
    }
    // The other process must know of the last command before it asks for a probe: a circuit that is still closed there
    // admits an ordinary call, whose verdict is stale once the opening arrives.
    until("the other process holds the circuit", SECOND, || processes[1].ask("held shop-7") == "true");
    processes[0].ask("reset shop-7");
    processes[1].number("await shop-7 closed 1000");
    processes[0].ask("trip shop-7");
    until("the other process knows of the trip", SECOND, || processes[1].ask("state shop-7") != "closed");
    assert_eq!(processes[1].ask("probe shop-7 2000"), "true");
    assert_eq!(processes[1].ask("settle failed"), "accepted");
    assert_eq!(processes[0].ask("probe shop-7 2000"), "true");
    assert_eq!(processes[0].ask("settle answered"), "accepted");
    processes[1].number("await shop-7 closed 1000");
    for process in &mut processes {
        assert_eq!(process.ask("health"), "connected subscribed accepted", "{}", process.ask("events"));
    }
}
