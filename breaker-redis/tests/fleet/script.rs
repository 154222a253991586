//! The Lua script alone, step by step.

use crate::common::server::Server;
use crate::common::{ms, say, until};

const CODE: &str = include_str!("../../src/protocol/script.lua");

struct Circuit {
    connection: redis::Connection,
    key: String,
}

/// The reply of the script.
#[derive(Debug, PartialEq)]
struct Answer {
    granted: bool,
    state: String,
    era: u64,
    remaining: u64,
    streak: u64,
    now: u64,
}

impl Circuit {
    fn on(server: &Server) -> Self {
        Self { connection: server.client(), key: "breaker:v1:{tests:shop-7}".to_owned() }
    }

    fn run(&mut self, operation: &str, era: Option<u64>, first: u64, second: u64) -> Answer {
        let base = era.map(|era| era.to_string()).unwrap_or_default();
        let mut call = redis::cmd("EVAL");
        call.arg(CODE).arg(1).arg(&self.key).arg(operation).arg(base).arg("breaker:v1:tests").arg("shop-7").arg(60_000);
        call.arg(first).arg(second).arg("me");
        let text: String = call.query(&mut self.connection).unwrap();
        let words: Vec<_> = text.split(' ').collect();
        let number = |position: usize| words[position].parse().unwrap_or_else(|_| panic!("{text}"));
        Answer {
            granted: words[0] == "1",
            state: words[1].to_owned(),
            era: number(2),
            remaining: number(3),
            streak: number(4),
            now: number(5),
        }
    }

    fn read(&mut self) -> Answer {
        self.run("read", None, 0, 0)
    }

    fn life(&mut self) -> u64 {
        redis::cmd("PTTL").arg(&self.key).query(&mut self.connection).unwrap()
    }
}

const SECOND: u64 = 1_000_000;

// Fails when numbers are written without `%.0f`, because Lua keeps 14 of their 16 digits.
#[test]
fn every_change_has_its_own_era_exactly() {
    let Some(server) = Server::start() else { return };
    let mut circuit = Circuit::on(&server);
    let mut eras = Vec::new();
    for _ in 0..200 {
        eras.push(circuit.run("trip", None, SECOND, 0).era);
        eras.push(circuit.run("reset", None, 0, 0).era);
    }
    assert!(eras.windows(2).all(|pair| pair[0] < pair[1]), "{eras:?}");
    assert!(eras.iter().any(|era| era % 100 != 0));
    assert_eq!(circuit.read().era, eras[399]);
    // The era is new even after all data was lost.
    server.command("FLUSHALL");
    let (gone, again) = (circuit.read(), circuit.run("trip", Some(eras[399]), SECOND, 0));
    assert_eq!(gone.state, "-");
    assert!(gone.now > eras[399] && again.era > eras[399]);
}

#[test]
fn failures_open_at_the_threshold_and_an_answer_clears_them() {
    let Some(server) = Server::start() else { return };
    let mut circuit = Circuit::on(&server);
    let fail = |circuit: &mut Circuit, era| circuit.run("fail", era, 3, 60 * SECOND);
    let first = fail(&mut circuit, None);
    assert_eq!((&*first.state, first.streak), ("0", 1));
    assert_eq!(fail(&mut circuit, Some(first.era)).streak, 2);
    assert_eq!(circuit.run("answer", Some(first.era), 0, 0).streak, 0);
    for streak in [1, 2] {
        assert_eq!(fail(&mut circuit, Some(first.era)).streak, streak);
    }
    let open = fail(&mut circuit, Some(first.era));
    assert_eq!((&*open.state, open.remaining, open.streak), ("1", 60 * SECOND, 0));
    // The circuit stays open, and reports based on older eras have no effect.
    assert_eq!(fail(&mut circuit, Some(open.era)).era, open.era);
    assert_eq!(circuit.run("open", Some(open.era), SECOND, 0).era, open.era);
    let closed = circuit.run("reset", None, 0, 0);
    assert_eq!(fail(&mut circuit, Some(open.era)).streak, 0);
    assert_eq!(circuit.run("open", Some(open.era), SECOND, 0).state, "0");
    assert_eq!(circuit.run("open", Some(closed.era), SECOND, 0).state, "1");
}

#[test]
fn one_grant_a_lease_and_only_its_era_concludes() {
    let Some(server) = Server::start() else { return };
    let mut circuit = Circuit::on(&server);
    assert!(!circuit.run("probe", None, SECOND, 0).granted, "nothing is known");
    let open = circuit.run("trip", None, 50_000, 0);
    let early = circuit.run("probe", Some(open.era), SECOND, 0);
    assert!(!early.granted && early.remaining > 0, "{early:?}");
    std::thread::sleep(ms(60));
    let first = circuit.run("probe", Some(open.era), 50_000, 0);
    assert!(first.granted && first.state == "2" && first.era > open.era, "{first:?}");
    assert!(!circuit.run("probe", Some(open.era), SECOND, 0).granted, "one at a time");
    std::thread::sleep(ms(60));
    let second = circuit.run("probe", Some(open.era), SECOND, 0);
    assert!(second.granted && second.era > first.era);
    for late in ["won", "lost", "drop"] {
        assert_eq!(circuit.run(late, Some(first.era), SECOND, 0).era, second.era, "{late}");
        assert_eq!(circuit.run(late, None, SECOND, 0).era, second.era, "{late}");
        assert_eq!(circuit.run(late, Some(second.era + 1), SECOND, 0).era, second.era, "{late}");
    }
    let dropped = circuit.run("drop", Some(second.era), 0, 0);
    assert_eq!((&*dropped.state, dropped.remaining), ("1", 0));
    assert_eq!(circuit.run("won", Some(second.era), 0, 0).era, dropped.era);
    let third = circuit.run("probe", Some(dropped.era), SECOND, 0);
    let lost = circuit.run("lost", Some(third.era), 30 * SECOND, 0);
    assert_eq!((&*lost.state, lost.remaining), ("1", 30 * SECOND));
    circuit.run("trip", None, 0, 0);
    let fourth = circuit.run("probe", None, SECOND, 0);
    assert_eq!(circuit.run("won", Some(fourth.era), 0, 0).state, "0");
}

#[test]
fn a_held_open_circuit_stays_open_until_a_reset() {
    let Some(server) = Server::start() else { return };
    let mut circuit = Circuit::on(&server);
    let held = circuit.run("hold", None, 0, 0);
    for operation in ["trip", "open", "probe", "won", "fail", "answer", "hold"] {
        let after = circuit.run(operation, Some(held.era), 1, 1);
        assert_eq!((&*after.state, after.era), ("3", held.era), "{operation}");
    }
    assert!(circuit.life() > 9 * 365 * 24 * 3_600_000, "it would be forgotten");
    assert_eq!(circuit.run("reset", None, 0, 0).state, "0");
}

#[test]
fn every_write_sets_the_time_to_live_and_a_read_writes_nothing() {
    let Some(server) = Server::start() else { return };
    let mut circuit = Circuit::on(&server);
    circuit.read();
    assert_eq!(server.command("DBSIZE"), redis::Value::Int(0));
    circuit.run("fail", None, 9, 0);
    assert!((59_000..=60_000).contains(&circuit.life()));
    circuit.run("trip", None, 600 * SECOND, 0);
    assert!((659_000..=660_000).contains(&circuit.life()), "its cooldown comes on top");
    let life = circuit.life();
    until("time goes by", ms(1_000), || circuit.life() < life);
    circuit.read();
    assert!(circuit.life() < life);
    let bytes: u64 = redis::cmd("MEMORY").arg("USAGE").arg(&circuit.key).query(&mut circuit.connection).unwrap();
    say!("a circuit takes {bytes} bytes of the server, key included");
}
