//! Reports of a circuit to its fleet, and updates from the fleet. The test is the fleet.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{
    COOLDOWN, CallError, LEASE, Outcome, SECOND, call, changes, fail, open, permit, reasons, succeed, test_bed_with,
};
use breaker_core::fleet::{Change, CircuitReport, Fleet, FleetState, Link, StateUpdate};
use breaker_core::testing::TestBed;
use breaker_core::{Circuit, Config, Evidence, Reason, Registry, RejectionReason, State};

/// How long a circuit waits for a probe grant.
const GRANT_TIMEOUT: Duration = Duration::from_millis(250);

/// A fleet that records each report and sends the updates that the test chooses.
#[derive(Clone, Default)]
struct TestFleet(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    link: Option<Link>,
    reports: Vec<CircuitReport>,
}

impl Fleet for TestFleet {
    fn join(&self, link: Link) -> bool {
        self.0.lock().unwrap().link.replace(link).is_none()
    }

    fn publish(&self, report: CircuitReport) {
        self.0.lock().unwrap().reports.push(report);
    }
}

impl TestFleet {
    fn link(&self) -> Link {
        self.0.lock().unwrap().link.clone().unwrap()
    }

    fn reports(&self) -> Vec<CircuitReport> {
        std::mem::take(&mut self.0.lock().unwrap().reports)
    }

    fn changes(&self) -> Vec<Change> {
        self.reports().iter().map(|report| report.change).collect()
    }

    fn update(&self, era: u64, state: FleetState) {
        self.link().update("shop-7", StateUpdate { era, state, answers: None });
    }

    /// Confirms the last verdict in a new era.
    fn confirm(&self, era: u64, state: FleetState) {
        let answers = self.reports().last().expect("a verdict").stamp;
        assert!(answers.is_some(), "no verdict");
        self.link().update("shop-7", StateUpdate { era, state, answers });
    }

    fn grant(&self, era: u64) -> bool {
        self.link().grant("shop-7", era, LEASE)
    }
}

const CLOSED: FleetState = FleetState::Closed { failures: false };
const OPEN: FleetState = FleetState::Open { remaining: COOLDOWN };
const COOLED: FleetState = FleetState::Open { remaining: Duration::ZERO };
const PROBING: FleetState = FleetState::Probing { remaining: LEASE };

/// A process of the fleet with the circuit of `shop-7`. The fleet has reported it closed in era 10.
fn process() -> (TestBed, TestFleet, Circuit) {
    let fleet = TestFleet::default();
    let bed = test_bed_with(|config| config.failure_threshold(2), |registry| registry.fleet(fleet.clone()));
    let circuit = bed.registry.circuit("shop-7");
    assert_eq!(fleet.changes(), [Change::Joined]);
    fleet.update(10, CLOSED);
    (bed, fleet, circuit)
}

/// The same after another process opened the circuit in era 20. Its cooldown is over.
fn cooled() -> (TestBed, TestFleet, Circuit) {
    let (bed, fleet, circuit) = process();
    fleet.update(20, OPEN);
    bed.clock.advance(COOLDOWN);
    bed.events.clear();
    (bed, fleet, circuit)
}

/// The same with a probe grant in era 30.
fn granted() -> (TestBed, TestFleet, Circuit) {
    let (bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    assert!(fleet.grant(30));
    fleet.reports();
    (bed, fleet, circuit)
}

fn rejection(circuit: &Circuit) -> (RejectionReason, Option<Duration>) {
    let open = circuit.try_acquire().expect_err("the call is admitted");
    (open.reason(), open.retry_after())
}

#[test]
fn a_remote_open_rejects_at_once() {
    let (bed, fleet, circuit) = process();
    fleet.update(20, OPEN);
    assert_eq!(rejection(&circuit), (RejectionReason::InCooldown, Some(COOLDOWN)));
    assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::FleetOpened)]);
    assert_eq!(circuit.snapshot().times_opened, 1);
    assert_eq!(fleet.changes(), []);
}

#[test]
fn a_remote_close_closes_the_circuit() {
    let (bed, fleet, circuit) = process();
    fleet.update(20, OPEN);
    fleet.update(30, CLOSED);
    succeed(&circuit, 1);
    assert_eq!(reasons(&bed.events), [Reason::FleetOpened, Reason::FleetClosed]);
    assert_eq!(fleet.changes(), []);
}

#[test]
fn a_remote_hold_ends_with_a_remote_reset() {
    let (bed, fleet, circuit) = process();
    fleet.update(20, FleetState::HeldOpen);
    bed.clock.advance(100 * COOLDOWN);
    assert_eq!(rejection(&circuit), (RejectionReason::HeldOpen, None));
    fleet.update(30, CLOSED);
    succeed(&circuit, 1);
}

// Fails if the era of an update is not compared with the known one.
#[test]
fn an_update_of_an_older_era_is_ignored() {
    let (_bed, fleet, circuit) = process();
    fleet.update(20, OPEN);
    fleet.update(19, CLOSED);
    assert_eq!(circuit.state(), State::Open);
    fleet.update(30, CLOSED);
    fleet.update(29, OPEN);
    assert_eq!(circuit.state(), State::Closed);
}

// Law 1, across processes. Fails if the circuit keeps its era when a closed circuit receives a newer closed state.
#[test]
fn a_result_from_before_a_missed_opening_is_stale() {
    let (_bed, fleet, circuit) = process();
    let calls = [(); 2].map(|()| permit(&circuit));
    fleet.update(30, CLOSED);
    for call in calls {
        call.settle(Evidence::Failed);
    }
    assert_eq!((circuit.state(), circuit.snapshot().stale), (State::Closed, 2));
    assert_eq!(fleet.changes(), []);
}

#[test]
fn a_remote_cooldown_is_capped_by_the_own_setting() {
    let (_bed, fleet, circuit) = process();
    fleet.update(20, FleetState::Open { remaining: Duration::MAX });
    assert_eq!(rejection(&circuit), (RejectionReason::InCooldown, Some(COOLDOWN)));
}

#[test]
fn failures_are_reported_and_the_first_answer_after_them() {
    let (_bed, fleet, circuit) = process();
    succeed(&circuit, 3);
    assert_eq!(fleet.changes(), []);
    fail(&circuit, 1);
    succeed(&circuit, 3);
    let failed = Change::Failed { threshold: 2, cooldown: COOLDOWN };
    assert_eq!(fleet.changes(), [failed, Change::Answered]);
    // An answer after another process's failure is reported too, and only once.
    fleet.update(10, FleetState::Closed { failures: true });
    succeed(&circuit, 3);
    assert_eq!(fleet.changes(), [Change::Answered]);
}

/// The error of an outer call.
fn down() -> Outcome {
    Err(CallError::Down)
}

// Fails if a withdrawn answer reports the failures again that it had cleared in the fleet.
#[test]
fn a_withdrawn_answer_restores_nothing_in_the_fleet() {
    let fleet = TestFleet::default();
    let bed = test_bed_with(|config| config.failure_threshold(3), |registry| registry.fleet(fleet.clone()));
    let circuit = bed.registry.circuit("shop-7");
    fleet.update(10, CLOSED);
    fleet.reports();
    let failed = Change::Failed { threshold: 3, cooldown: COOLDOWN };
    let opened = Change::Opened { cooldown: COOLDOWN };
    // The transport answers, and the decoder fails.
    for _ in 0..3 {
        let result: Outcome = circuit.call(|| {
            succeed(&circuit, 1);
            down()
        });
        assert!(result.is_err());
    }
    assert_eq!(fleet.changes(), [failed, Change::Answered, failed, Change::Answered, opened]);
    fleet.update(20, CLOSED);
    circuit.reset();
    fleet.reports();
    // One page is answered, and the failure of the next one is passed on. It is reported once.
    for _ in 0..3 {
        assert_eq!(circuit.state(), State::Closed);
        let result: Outcome = circuit.call(|| {
            succeed(&circuit, 1);
            circuit.call(down)
        });
        assert!(result.is_err());
    }
    assert_eq!(fleet.changes(), [failed, Change::Answered, failed, Change::Answered, failed, opened]);
}

#[test]
fn a_lost_answer_is_followed_by_another_report() {
    let (_bed, fleet, circuit) = process();
    fail(&circuit, 1);
    succeed(&circuit, 1);
    fleet.reports();
    fleet.link().expect_answer("shop-7");
    succeed(&circuit, 3);
    assert_eq!(fleet.changes(), [Change::Answered]);
    open(&circuit);
    fleet.reports();
    fleet.link().expect_answer("shop-7");
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(fleet.changes(), []);
}

#[test]
fn failures_in_a_window_are_not_reported() {
    let fleet = TestFleet::default();
    let bed = test_bed_with(
        |config| config.failure_threshold(2).failure_window(SECOND),
        |registry| registry.fleet(fleet.clone()),
    );
    fail(&bed.registry.circuit("shop-7"), 1);
    succeed(&bed.registry.circuit("shop-7"), 1);
    assert_eq!(fleet.changes(), [Change::Joined]);
}

#[test]
fn an_opening_is_reported_once_and_confirmed() {
    let (bed, fleet, circuit) = process();
    open(&circuit);
    let reports = fleet.reports();
    let opened = Change::Opened { cooldown: COOLDOWN };
    assert_eq!(reports.iter().map(|report| (report.era, report.change)).collect::<Vec<_>>()[1..], [(Some(10), opened)]);
    let stamp = reports[1].stamp;
    assert!(stamp.is_some());
    // An update that was sent before the report arrived: the circuit has the newer state.
    fleet.update(10, CLOSED);
    fleet.update(15, CLOSED);
    assert_eq!(circuit.state(), State::Open);
    fleet.link().update("shop-7", StateUpdate { era: 20, state: OPEN, answers: stamp });
    assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::Threshold)]);
    // Later updates are applied again.
    fleet.update(30, CLOSED);
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if a verdict is kept after a reply with a newer era.
#[test]
fn a_local_verdict_of_an_older_fleet_era_is_refused() {
    let (bed, fleet, circuit) = process();
    open(&circuit);
    // Another process has opened and closed the circuit meanwhile, so these failures belong to an older era.
    fleet.confirm(30, CLOSED);
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(reasons(&bed.events), [Reason::Threshold, Reason::FleetClosed]);
    succeed(&circuit, 1);
}

#[test]
fn a_probe_needs_a_grant() {
    let (_bed, fleet, circuit) = cooled();
    assert_eq!(circuit.state(), State::HalfOpen);
    for _ in 0..100 {
        assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, None));
    }
    assert_eq!(fleet.changes(), [Change::ProbeWanted { lease: LEASE }], "called once, not for each call");
    assert!(fleet.grant(30));
    let probe = permit(&circuit);
    assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, None));
    probe.settle(Evidence::Answered);
    let reports = fleet.reports();
    assert_eq!(
        reports.iter().map(|report| (report.era, report.change)).collect::<Vec<_>>(),
        [(Some(30), Change::ProbeSucceeded)]
    );
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn a_failed_probe_opens_with_a_grown_cooldown() {
    let fleet = TestFleet::default();
    let bed = test_bed_with(
        |config| config.failure_threshold(1).cooldown_growth(2.0, 10 * COOLDOWN),
        |registry| registry.fleet(fleet.clone()),
    );
    let circuit = bed.registry.circuit("shop-7");
    fail(&circuit, 1);
    fleet.confirm(20, OPEN);
    bed.clock.advance(COOLDOWN);
    assert!(circuit.try_acquire().is_err());
    assert!(fleet.grant(30));
    fail(&circuit, 1);
    assert_eq!(fleet.changes().last(), Some(&Change::ProbeFailed { cooldown: 2 * COOLDOWN }));
    assert_eq!(rejection(&circuit), (RejectionReason::InCooldown, Some(2 * COOLDOWN)));
}

#[test]
fn an_inconclusive_probe_returns_its_grant() {
    let (_bed, fleet, circuit) = granted();
    assert!(call(&circuit, Evidence::Unknown));
    let reports = fleet.reports();
    assert_eq!(
        reports.iter().map(|report| (report.era, report.change)).collect::<Vec<_>>(),
        [(Some(30), Change::ProbeDropped)]
    );
    assert!(circuit.try_acquire().is_err());
    assert_eq!(fleet.changes(), [Change::ProbeWanted { lease: LEASE }]);
}

#[test]
fn an_unclaimed_grant_can_be_withdrawn() {
    let (bed, fleet, circuit) = granted();
    assert!(fleet.link().withdraw("shop-7", 30), "no call claimed it");
    assert!(!fleet.link().withdraw("shop-7", 30), "it was dropped");
    fleet.update(40, COOLED);
    bed.clock.advance(100 * COOLDOWN);
    // With so few calls the circuit would never be probed, so the next call probes at once and claims a grant that
    // arrives meanwhile.
    let probe = permit(&circuit);
    assert!(circuit.try_acquire().is_err());
    assert_eq!(fleet.changes(), [Change::ProbeWanted { lease: LEASE }]);
    assert!(fleet.grant(50));
    assert!(!fleet.link().withdraw("shop-7", 50), "the probe has it");
    probe.settle(Evidence::Answered);
    assert_eq!(fleet.reports().iter().map(|report| report.era).collect::<Vec<_>>(), [Some(50)]);
}

#[test]
fn a_claimed_grant_cannot_be_withdrawn() {
    let (_bed, fleet, circuit) = granted();
    let probe = permit(&circuit);
    assert!(!fleet.link().withdraw("shop-7", 30));
    probe.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if a member of a fleet rejects without asking, as other circuits do until the lease of their probe ends.
#[test]
fn a_claimed_grant_that_ends_before_its_probe_is_requested_again() {
    let (bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    bed.clock.advance(GRANT_TIMEOUT);
    let probe = permit(&circuit);
    assert!(fleet.link().grant("shop-7", 30, LEASE / 2), "the probe claims it");
    fleet.reports();
    assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, None));
    assert_eq!(fleet.changes(), []);
    bed.clock.advance(LEASE / 2);
    assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, None));
    assert_eq!(fleet.changes(), [Change::ProbeWanted { lease: LEASE }]);
    assert!(fleet.grant(40));
    permit(&circuit).settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
    drop(probe);
}

#[test]
fn a_grant_without_a_half_open_circuit_is_refused() {
    let (_bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    assert!(!fleet.grant(20), "not a new era");
    circuit.reset();
    assert!(!fleet.grant(30), "the circuit is closed");
    assert!(!fleet.link().grant("shop-8", 1, LEASE), "an unknown connection");
}

#[test]
fn no_grant_is_requested_while_another_process_probes() {
    let (bed, fleet, circuit) = cooled();
    fleet.update(30, PROBING);
    assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, None));
    assert_eq!(fleet.changes(), []);
    bed.clock.advance(LEASE);
    assert!(circuit.try_acquire().is_err());
    assert_eq!(fleet.changes(), [Change::ProbeWanted { lease: LEASE }]);
}

#[test]
fn a_probe_overtaken_by_another_process_is_stale() {
    let (_bed, fleet, circuit) = granted();
    let probe = permit(&circuit);
    fleet.update(40, PROBING);
    probe.settle(Evidence::Answered);
    assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
    assert_eq!(fleet.changes(), []);
}

// Fails if the result of a probe counts after the lease of its grant.
#[test]
fn a_verdict_after_the_lease_is_stale() {
    for evidence in [Evidence::Answered, Evidence::Failed] {
        let (bed, fleet, circuit) = granted();
        let probe = permit(&circuit);
        bed.clock.advance(LEASE);
        probe.settle(evidence);
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
        assert_eq!(fleet.changes(), []);
        // Another grant, and another probe.
        assert!(circuit.try_acquire().is_err());
        assert!(fleet.grant(40));
        assert!(call(&circuit, Evidence::Answered));
        assert_eq!(circuit.state(), State::Closed);
    }
}

#[test]
fn a_leaked_probe_is_overtaken_by_the_next_grant() {
    let (bed, fleet, circuit) = granted();
    let probe = permit(&circuit);
    bed.clock.advance(LEASE);
    assert!(circuit.try_acquire().is_err());
    bed.events.clear();
    assert!(fleet.grant(40));
    assert_eq!(reasons(&bed.events), [Reason::LeaseExpired]);
    let next = permit(&circuit);
    probe.settle(Evidence::Failed);
    assert_eq!(circuit.snapshot().stale, 1);
    next.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn without_a_reply_the_process_probes_without_a_grant() {
    let (bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    bed.clock.advance(GRANT_TIMEOUT);
    succeed(&circuit, 1);
    assert_eq!(circuit.state(), State::Closed);
    // A late grant is used to report the verdict of the probe.
    fleet.reports();
    assert!(fleet.grant(30));
    let reports = fleet.reports();
    assert_eq!(
        reports.iter().map(|report| (report.era, report.change)).collect::<Vec<_>>(),
        [(Some(30), Change::ProbeSucceeded)]
    );
    // If the circuit has changed since, the grant is returned.
    fleet.link().update("shop-7", StateUpdate { era: 40, state: CLOSED, answers: reports[0].stamp });
    assert!(!fleet.grant(50));
}

#[test]
fn a_late_grant_after_another_change_is_refused() {
    let (bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    bed.clock.advance(GRANT_TIMEOUT);
    succeed(&circuit, 1);
    fleet.update(25, OPEN);
    fleet.update(26, CLOSED);
    fleet.reports();
    assert!(!fleet.grant(30));
    assert_eq!(fleet.changes(), []);
}

#[test]
fn an_unreachable_fleet_allows_probes_at_once() {
    let (_bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    fleet.link().unavailable("shop-7");
    let probe = permit(&circuit);
    assert!(circuit.try_acquire().is_err(), "still only one probe");
    probe.settle(Evidence::Failed);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn commands_reach_the_fleet() {
    let (_bed, fleet, circuit) = process();
    circuit.trip();
    fleet.link().update("shop-7", StateUpdate { era: 20, state: OPEN, answers: fleet.reports()[0].stamp });
    circuit.hold_open();
    circuit.reset();
    circuit.reset();
    assert_eq!(fleet.changes(), [Change::HeldOpen, Change::Reset, Change::Reset], "a reset of a closed circuit too");
    circuit.trip();
    assert_eq!(fleet.changes(), [Change::Tripped { cooldown: COOLDOWN }]);
}

// Law 13, across processes. Fails if updates are applied before the fleet has confirmed the reset.
#[test]
fn a_reset_wins_over_earlier_updates() {
    let (_bed, fleet, circuit) = process();
    fleet.update(20, OPEN);
    circuit.reset();
    fleet.update(30, OPEN);
    assert_eq!(circuit.state(), State::Closed);
    fleet.confirm(40, CLOSED);
    succeed(&circuit, 1);
}

// Fails if holding a circuit open keeps its era: the reply to an earlier command then releases the circuit.
#[test]
fn an_answer_to_an_earlier_command_does_not_undo_a_later_one() {
    let (bed, fleet, circuit) = process();
    circuit.trip();
    let tripped = fleet.reports()[0].stamp;
    circuit.hold_open();
    fleet.link().update("shop-7", StateUpdate { era: 20, state: OPEN, answers: tripped });
    bed.clock.advance(COOLDOWN);
    assert_eq!(circuit.state(), State::Open);
    fleet.confirm(30, FleetState::HeldOpen);
    assert!(circuit.snapshot().held);
}

#[test]
fn a_lost_verdict_is_reported_again() {
    let (bed, fleet, circuit) = process();
    open(&circuit);
    let stamp = fleet.reports()[1].stamp.unwrap();
    fleet.link().undelivered("shop-7", stamp);
    bed.clock.advance(30 * SECOND);
    // The fleet can be reached again, and has lost its state or kept it.
    fleet.update(99, FleetState::Forgotten);
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(fleet.changes(), [Change::Opened { cooldown: COOLDOWN.checked_sub(30 * SECOND).unwrap() }]);
    // The decision that the fleet made meanwhile is newer.
    fleet.link().undelivered("shop-7", stamp);
    fleet.update(100, CLOSED);
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if a process that probed without a grant lets the fleet close its circuit.
#[test]
fn an_opening_by_a_probe_without_a_grant_is_reported_later() {
    let (_bed, fleet, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    fleet.link().unavailable("shop-7");
    assert!(call(&circuit, Evidence::Failed));
    fleet.reports();
    fleet.update(99, FleetState::Forgotten);
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(fleet.changes(), [Change::Opened { cooldown: COOLDOWN }]);
}

#[test]
fn a_fleet_without_state_closes_the_circuit_with_an_event() {
    let (bed, fleet, circuit) = process();
    fleet.update(20, OPEN);
    fleet.update(19, FleetState::Forgotten);
    assert_eq!(circuit.state(), State::Open, "sent before it was opened");
    fleet.update(21, FleetState::Forgotten);
    succeed(&circuit, 1);
    assert_eq!(reasons(&bed.events), [Reason::FleetOpened, Reason::FleetForgot]);
    // Every later update is newer, whatever its number.
    fleet.update(2, OPEN);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn a_removed_circuit_is_not_reported() {
    let (bed, fleet, circuit) = process();
    assert!(bed.registry.remove("shop-7"));
    assert_eq!(fleet.changes(), []);
    drop(circuit);
    assert_eq!(fleet.link().connections(), [] as [Arc<str>; 0]);
    fleet.update(20, OPEN);
    assert!(bed.registry.is_empty(), "an update creates no circuit");
}

#[test]
fn a_fleet_may_panic_and_may_update_while_it_publishes() {
    struct UpdatesWhilePublishing(Mutex<Option<Link>>);
    impl Fleet for UpdatesWhilePublishing {
        fn join(&self, link: Link) -> bool {
            *self.0.lock().unwrap() = Some(link);
            true
        }
        fn publish(&self, report: CircuitReport) {
            let link = self.0.lock().unwrap().clone().unwrap();
            let update = StateUpdate { era: 1, state: OPEN, answers: report.stamp };
            link.update(&report.connection, update);
            assert!(link.grant(&report.connection, 2, LEASE), "a panic");
        }
    }
    let bed = test_bed_with(|config| config, |registry| registry.fleet(UpdatesWhilePublishing(Mutex::default())));
    let circuit = bed.registry.circuit("shop-7");
    assert_eq!(circuit.state(), State::Open);
    circuit.trip();
    circuit.reset();
    assert_eq!(circuit.state(), State::Open, "the update of the fleet came last");
}

#[test]
fn a_fleet_serves_only_one_registry() {
    let fleet = TestFleet::default();
    let _first = Registry::builder().config(Config::default()).fleet(fleet.clone()).build().unwrap();
    let error = Registry::builder().fleet(fleet).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fleet` is one that serves another registry already, but must be given to one registry"
    );
}
