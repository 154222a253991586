//! Tests that each outage is escalated exactly once, also after a crash at any point.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use breaker_core::testing::ManualClock;
use breaker_core::{Evidence, Registry, State};
use escalation::{Service, Status, Store, TicketSystem};
use tempfile::TempDir;

const SHOP: &str = "crm:cedar";

fn start(folder: &Path, clock: &ManualClock) -> Service {
    let store = Store::open(&folder.join("service.sqlite")).unwrap();
    store.add(SHOP).unwrap();
    let ticket_system = TicketSystem::open(&folder.join("ticket_system.sqlite")).unwrap();
    Service::start(store, ticket_system, Registry::builder().clock(clock.clone())).unwrap()
}

fn rounds(service: &Service, rounds: u32, is_up: bool) {
    for _ in 0..rounds {
        service.round(|_| is_up).unwrap();
    }
}

fn tickets(service: &Service) -> usize {
    service.ticket_system().tickets().unwrap().len()
}

#[test]
fn each_opening_is_escalated_once_until_a_reconnect() {
    let (folder, clock) = (TempDir::new().unwrap(), ManualClock::new());
    let service = start(folder.path(), &clock);
    for outage in 1..=3 {
        rounds(&service, 8, false);
        assert_eq!(service.store().status(SHOP).unwrap(), Some(Status::NeedsAttention));
        assert_eq!(tickets(&service), outage);
        assert!(service.store().active().unwrap().is_empty());

        service.reconnect(SHOP).unwrap();
        assert_eq!(service.registry().circuit(SHOP).state(), State::Closed);
        rounds(&service, 2, true);
        assert_eq!(service.store().status(SHOP).unwrap(), Some(Status::Active));
        assert_eq!(tickets(&service), outage);
    }
}

/// Sixteen callers fail at the same moment and three probes fail after them, all in one outage.
#[test]
fn many_failures_and_failed_probes_are_one_escalation() {
    let (folder, clock) = (TempDir::new().unwrap(), ManualClock::new());
    let service = start(folder.path(), &clock);
    let circuit = service.registry().circuit(SHOP);
    let permits: Vec<_> = (0..16).map(|_| circuit.try_acquire().unwrap()).collect();
    thread::scope(|scope| {
        for permit in permits {
            scope.spawn(|| permit.settle(Evidence::Failed));
        }
    });
    // A caller outside the jobs keeps calling.
    for _ in 0..3 {
        clock.advance(Duration::from_secs(60));
        circuit.try_acquire().unwrap().settle(Evidence::Failed);
    }
    assert_eq!(circuit.snapshot().times_opened, 4);
    rounds(&service, 3, false);
    assert_eq!(tickets(&service), 1);
}

#[test]
fn manual_actions_are_not_escalated() {
    let (folder, clock) = (TempDir::new().unwrap(), ManualClock::new());
    let service = start(folder.path(), &clock);
    service.registry().circuit(SHOP).hold_open();
    rounds(&service, 3, true);
    assert_eq!(tickets(&service), 0);
    assert_eq!(service.store().status(SHOP).unwrap(), Some(Status::Active));
}

/// Fails without `record_missed_openings`: the hook cannot write while the file refuses it.
#[test]
fn an_opening_that_the_hook_could_not_record_is_recorded_after_a_round() {
    let (folder, clock) = (TempDir::new().unwrap(), ManualClock::new());
    let service = start(folder.path(), &clock);
    let circuit = service.registry().circuit(SHOP);
    let other = rusqlite::Connection::open(folder.path().join("service.sqlite")).unwrap();
    // Stands for any failed write, such as a full disk.
    other
        .execute_batch("CREATE TRIGGER refuse BEFORE INSERT ON escalations BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        .unwrap();
    for _ in 0..5 {
        circuit.try_acquire().unwrap().settle(Evidence::Failed);
    }
    assert_eq!(service.store().status(SHOP).unwrap(), Some(Status::Active));
    other.execute_batch("DROP TRIGGER refuse").unwrap();
    rounds(&service, 3, false);
    assert_eq!(service.ticket_system().tickets().unwrap(), ["crm:cedar needs attention: found open"]);
    assert_eq!(service.store().status(SHOP).unwrap(), Some(Status::NeedsAttention));
}

/// Runs the program with a crash at this point. Returns whether it ended without one.
fn run_program(folder: &Path, crash_at: &str) -> bool {
    let program = env!("CARGO_BIN_EXE_escalation");
    Command::new(program).arg(folder).env("ESCALATION_CRASH_AT", crash_at).status().unwrap().success()
}

#[test]
fn a_crash_at_any_point_neither_loses_nor_repeats_an_escalation() {
    for point in ["opened", "marked", "sent"] {
        let folder = TempDir::new().unwrap();
        assert!(!run_program(folder.path(), point), "it should have crashed at {point}");
        // The second start must not send the escalation again.
        for _ in 0..2 {
            assert!(run_program(folder.path(), ""), "after a crash at {point}");
            let ticket_system = TicketSystem::open(&folder.path().join("ticket_system.sqlite")).unwrap();
            assert_eq!(
                ticket_system.tickets().unwrap(),
                ["crm:cedar needs attention: threshold"],
                "after a crash at {point}"
            );
        }
        let store = Store::open(&folder.path().join("service.sqlite")).unwrap();
        assert_eq!(store.status(SHOP).unwrap(), Some(Status::NeedsAttention));
        assert_eq!(store.unsent().unwrap(), []);
        assert_eq!(store.active().unwrap(), ["crm:acorn", "crm:birch"]);
    }
}

/// Fails if escalations are sent only after a round, which a program without jobs never runs.
#[test]
fn unsent_escalations_are_sent_at_the_start() {
    let folder = TempDir::new().unwrap();
    assert!(!run_program(folder.path(), "marked"));
    let service = start(folder.path(), &ManualClock::new());
    assert_eq!(tickets(&service), 1);
}
