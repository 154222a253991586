//! The seam between a circuit and its fleet: what it tells, and what it makes of what it is told. The fleet is the test.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{COOLDOWN, LEASE, SECOND, call, changes, fail, open, permit, reasons, succeed, test_bed_with};
use breaker_core::fleet::{Change, CircuitReport, Fleet, FleetState, Link, StateUpdate};
use breaker_core::testing::TestBed;
use breaker_core::{Circuit, Config, Evidence, Reason, Registry, RejectionReason, State};

/// How long a circuit waits for leave to probe.
const PATIENCE: Duration = Duration::from_millis(250);

/// Writes down what it is told, and says what the test wants it to say.
#[derive(Clone, Default)]
struct Others(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    link: Option<Link>,
    news: Vec<CircuitReport>,
}

impl Fleet for Others {
    fn join(&self, link: Link) -> bool {
        self.0.lock().unwrap().link.replace(link).is_none()
    }

    fn publish(&self, report: CircuitReport) {
        self.0.lock().unwrap().news.push(report);
    }
}

impl Others {
    fn link(&self) -> Link {
        self.0.lock().unwrap().link.clone().unwrap()
    }

    fn news(&self) -> Vec<CircuitReport> {
        std::mem::take(&mut self.0.lock().unwrap().news)
    }

    fn facts(&self) -> Vec<Change> {
        self.news().iter().map(|news| news.change).collect()
    }

    fn say(&self, era: u64, state: FleetState) {
        self.link().update("shop-7", StateUpdate { era, state, answers: None });
    }

    /// Takes the last verdict, in a new era.
    fn confirm(&self, era: u64, state: FleetState) {
        let answers = self.news().last().expect("a verdict").stamp;
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

/// A process of the fleet, with the circuit of `shop-7`, of which the fleet has told that it is closed in era 10.
fn process() -> (TestBed, Others, Circuit) {
    let others = Others::default();
    let bed = test_bed_with(|config| config.failure_threshold(2), |registry| registry.fleet(others.clone()));
    let circuit = bed.registry.circuit("shop-7");
    assert_eq!(others.facts(), [Change::Joined]);
    others.say(10, CLOSED);
    (bed, others, circuit)
}

/// The same, once somebody else has opened the circuit, in era 20, and its cooldown is over.
fn cooled() -> (TestBed, Others, Circuit) {
    let (bed, others, circuit) = process();
    others.say(20, OPEN);
    bed.clock.advance(COOLDOWN);
    bed.events.clear();
    (bed, others, circuit)
}

/// The same, once the process has leave to probe, in era 30.
fn granted() -> (TestBed, Others, Circuit) {
    let (bed, others, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    assert!(others.grant(30));
    others.news();
    (bed, others, circuit)
}

fn rejection(circuit: &Circuit) -> (RejectionReason, Option<Duration>) {
    let open = circuit.try_acquire().expect_err("it is let through");
    (open.reason(), open.retry_after())
}

#[test]
fn a_remote_open_rejects_at_once() {
    let (bed, others, circuit) = process();
    others.say(20, OPEN);
    assert_eq!(rejection(&circuit), (RejectionReason::InCooldown, Some(COOLDOWN)));
    assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::FleetOpened)]);
    assert_eq!(circuit.snapshot().times_opened, 1);
    assert_eq!(others.facts(), []);
}

#[test]
fn a_remote_close_closes() {
    let (bed, others, circuit) = process();
    others.say(20, OPEN);
    others.say(30, CLOSED);
    succeed(&circuit, 1);
    assert_eq!(reasons(&bed.events), [Reason::FleetOpened, Reason::FleetClosed]);
    assert_eq!(others.facts(), []);
}

#[test]
fn a_remote_hold_lasts_until_a_remote_reset() {
    let (bed, others, circuit) = process();
    others.say(20, FleetState::HeldOpen);
    bed.clock.advance(100 * COOLDOWN);
    assert_eq!(rejection(&circuit), (RejectionReason::HeldOpen, None));
    others.say(30, CLOSED);
    succeed(&circuit, 1);
}

// Red when what is told is not compared with the era that is known.
#[test]
fn what_is_told_of_an_older_era_is_ignored() {
    let (_bed, others, circuit) = process();
    others.say(20, OPEN);
    others.say(19, CLOSED);
    assert_eq!(circuit.state(), State::Open);
    others.say(30, CLOSED);
    others.say(29, OPEN);
    assert_eq!(circuit.state(), State::Closed);
}

// Law 1, across processes. Red when closed -> closed of a newer era keeps the circuit's own era.
#[test]
fn a_call_from_before_a_missed_opening_changes_nothing() {
    let (_bed, others, circuit) = process();
    let calls = [(); 2].map(|()| permit(&circuit));
    others.say(30, CLOSED);
    for call in calls {
        call.settle(Evidence::Failed);
    }
    assert_eq!((circuit.state(), circuit.snapshot().stale), (State::Closed, 2));
    assert_eq!(others.facts(), []);
}

#[test]
fn a_cooldown_is_never_longer_than_ones_own() {
    let (_bed, others, circuit) = process();
    others.say(20, FleetState::Open { remaining: Duration::MAX });
    assert_eq!(rejection(&circuit), (RejectionReason::InCooldown, Some(COOLDOWN)));
}

#[test]
fn failures_are_told_and_an_answer_once_there_are_some() {
    let (_bed, others, circuit) = process();
    succeed(&circuit, 3);
    assert_eq!(others.facts(), []);
    fail(&circuit, 1);
    succeed(&circuit, 3);
    let failed = Change::Failed { threshold: 2, cooldown: COOLDOWN };
    assert_eq!(others.facts(), [failed, Change::Answered]);
    // Somebody else's failure is worth an answer too, and only one.
    others.say(10, FleetState::Closed { failures: true });
    succeed(&circuit, 3);
    assert_eq!(others.facts(), [Change::Answered]);
}

#[test]
fn an_answer_that_got_lost_is_followed_by_another() {
    let (_bed, others, circuit) = process();
    fail(&circuit, 1);
    succeed(&circuit, 1);
    others.news();
    others.link().expect_answer("shop-7");
    succeed(&circuit, 3);
    assert_eq!(others.facts(), [Change::Answered]);
    open(&circuit);
    others.news();
    others.link().expect_answer("shop-7");
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(others.facts(), []);
}

#[test]
fn how_old_failures_are_only_their_process_knows() {
    let others = Others::default();
    let bed = test_bed_with(
        |config| config.failure_threshold(2).failure_window(SECOND),
        |registry| registry.fleet(others.clone()),
    );
    fail(&bed.registry.circuit("shop-7"), 1);
    succeed(&bed.registry.circuit("shop-7"), 1);
    assert_eq!(others.facts(), [Change::Joined]);
}

#[test]
fn an_opening_is_told_once_and_confirmed() {
    let (bed, others, circuit) = process();
    open(&circuit);
    let news = others.news();
    let opened = Change::Opened { cooldown: COOLDOWN };
    assert_eq!(news.iter().map(|news| (news.era, news.change)).collect::<Vec<_>>()[1..], [(Some(10), opened)]);
    let stamp = news[1].stamp;
    assert!(stamp.is_some());
    // Said before it was heard of: the circuit knows better.
    others.say(10, CLOSED);
    others.say(15, CLOSED);
    assert_eq!(circuit.state(), State::Open);
    others.link().update("shop-7", StateUpdate { era: 20, state: OPEN, answers: stamp });
    assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::Threshold)]);
    // From then on others are heard again.
    others.say(30, CLOSED);
    assert_eq!(circuit.state(), State::Closed);
}

// Red when a verdict is not withdrawn where the answer to it tells of a newer era.
#[test]
fn a_local_verdict_of_an_older_fleet_era_is_refused() {
    let (bed, others, circuit) = process();
    open(&circuit);
    // Meanwhile somebody had opened and closed the circuit: these failures were of before.
    others.confirm(30, CLOSED);
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(reasons(&bed.events), [Reason::Threshold, Reason::FleetClosed]);
    succeed(&circuit, 1);
}

#[test]
fn a_probe_only_after_a_grant() {
    let (_bed, others, circuit) = cooled();
    assert_eq!(circuit.state(), State::HalfOpen);
    for _ in 0..100 {
        assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, Some(PATIENCE)));
    }
    assert_eq!(others.facts(), [Change::ProbeWanted { lease: LEASE }], "asked once, not once a call");
    assert!(others.grant(30));
    let probe = permit(&circuit);
    assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, Some(LEASE)));
    probe.settle(Evidence::Answered);
    let told = others.news();
    assert_eq!(
        told.iter().map(|news| (news.era, news.change)).collect::<Vec<_>>(),
        [(Some(30), Change::ProbeSucceeded)]
    );
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn a_failed_probe_opens_for_a_grown_cooldown() {
    let others = Others::default();
    let bed = test_bed_with(
        |config| config.failure_threshold(1).cooldown_growth(2.0, 10 * COOLDOWN),
        |registry| registry.fleet(others.clone()),
    );
    let circuit = bed.registry.circuit("shop-7");
    fail(&circuit, 1);
    others.confirm(20, OPEN);
    bed.clock.advance(COOLDOWN);
    assert!(circuit.try_acquire().is_err());
    assert!(others.grant(30));
    fail(&circuit, 1);
    assert_eq!(others.facts().last(), Some(&Change::ProbeFailed { cooldown: 2 * COOLDOWN }));
    assert_eq!(rejection(&circuit), (RejectionReason::InCooldown, Some(2 * COOLDOWN)));
}

#[test]
fn a_probe_that_says_nothing_gives_its_grant_back() {
    let (_bed, others, circuit) = granted();
    assert!(call(&circuit, Evidence::Unknown));
    let told = others.news();
    assert_eq!(told.iter().map(|news| (news.era, news.change)).collect::<Vec<_>>(), [(Some(30), Change::ProbeDropped)]);
    assert!(circuit.try_acquire().is_err());
    assert_eq!(others.facts(), [Change::ProbeWanted { lease: LEASE }]);
}

#[test]
fn a_grant_that_nobody_collects_is_dropped() {
    let (bed, others, circuit) = granted();
    assert!(others.link().withdraw("shop-7", 30), "nobody came");
    assert!(!others.link().withdraw("shop-7", 30), "it was dropped");
    others.say(40, COOLED);
    bed.clock.advance(100 * COOLDOWN);
    // Called as seldom as that, it would never be probed: so the next call goes at once and claims a grant under way.
    let probe = permit(&circuit);
    assert!(circuit.try_acquire().is_err());
    assert_eq!(others.facts(), [Change::ProbeWanted { lease: LEASE }]);
    assert!(others.grant(50));
    assert!(!others.link().withdraw("shop-7", 50), "the probe has it");
    probe.settle(Evidence::Answered);
    assert_eq!(others.news().iter().map(|news| news.era).collect::<Vec<_>>(), [Some(50)]);
}

#[test]
fn a_grant_that_was_collected_stays() {
    let (_bed, others, circuit) = granted();
    let probe = permit(&circuit);
    assert!(!others.link().withdraw("shop-7", 30));
    probe.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn a_grant_of_no_use_is_not_taken() {
    let (_bed, others, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    assert!(!others.grant(20), "not a new era");
    circuit.reset();
    assert!(!others.grant(30), "the circuit is closed");
    assert!(!others.link().grant("shop-8", 1, LEASE), "nobody calls that");
}

#[test]
fn while_somebody_else_probes_nobody_asks() {
    let (bed, others, circuit) = cooled();
    others.say(30, PROBING);
    assert_eq!(rejection(&circuit), (RejectionReason::ProbeInFlight, Some(LEASE)));
    assert_eq!(others.facts(), []);
    bed.clock.advance(LEASE);
    assert!(circuit.try_acquire().is_err());
    assert_eq!(others.facts(), [Change::ProbeWanted { lease: LEASE }]);
}

#[test]
fn a_probe_overtaken_by_another_process_is_of_an_older_era() {
    let (_bed, others, circuit) = granted();
    let probe = permit(&circuit);
    others.say(40, PROBING);
    probe.settle(Evidence::Answered);
    assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
    assert_eq!(others.facts(), []);
}

// Red when a probe's result is heard although the lease of its grant has run out.
#[test]
fn a_verdict_after_the_lease_is_refused() {
    for evidence in [Evidence::Answered, Evidence::Failed] {
        let (bed, others, circuit) = granted();
        let probe = permit(&circuit);
        bed.clock.advance(LEASE);
        probe.settle(evidence);
        assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1));
        assert_eq!(others.facts(), []);
        // Another grant, and another probe.
        assert!(circuit.try_acquire().is_err());
        assert!(others.grant(40));
        assert!(call(&circuit, Evidence::Answered));
        assert_eq!(circuit.state(), State::Closed);
    }
}

#[test]
fn a_forgotten_probe_is_overtaken_by_the_next_grant() {
    let (bed, others, circuit) = granted();
    let probe = permit(&circuit);
    bed.clock.advance(LEASE);
    assert!(circuit.try_acquire().is_err());
    bed.events.clear();
    assert!(others.grant(40));
    assert_eq!(reasons(&bed.events), [Reason::LeaseExpired]);
    let next = permit(&circuit);
    probe.settle(Evidence::Failed);
    assert_eq!(circuit.snapshot().stale, 1);
    next.settle(Evidence::Answered);
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn without_a_verdict_from_the_fleet_the_process_probes_by_itself() {
    let (bed, others, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    bed.clock.advance(PATIENCE);
    succeed(&circuit, 1);
    assert_eq!(circuit.state(), State::Closed);
    // A grant that comes so late is for what the probe found.
    others.news();
    assert!(others.grant(30));
    let told = others.news();
    assert_eq!(
        told.iter().map(|news| (news.era, news.change)).collect::<Vec<_>>(),
        [(Some(30), Change::ProbeSucceeded)]
    );
    // And once the circuit has changed since, it has to be given back.
    others.link().update("shop-7", StateUpdate { era: 40, state: CLOSED, answers: told[0].stamp });
    assert!(!others.grant(50));
}

#[test]
fn a_grant_after_another_change_is_not_for_an_old_probe() {
    let (bed, others, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    bed.clock.advance(PATIENCE);
    succeed(&circuit, 1);
    others.say(25, OPEN);
    others.say(26, CLOSED);
    others.news();
    assert!(!others.grant(30));
    assert_eq!(others.facts(), []);
}

#[test]
fn a_fleet_that_cannot_be_reached_says_so() {
    let (_bed, others, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    others.link().unavailable("shop-7");
    let probe = permit(&circuit);
    assert!(circuit.try_acquire().is_err(), "one probe all the same");
    probe.settle(Evidence::Failed);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn commands_reach_the_fleet() {
    let (_bed, others, circuit) = process();
    circuit.trip();
    others.link().update("shop-7", StateUpdate { era: 20, state: OPEN, answers: others.news()[0].stamp });
    circuit.hold_open();
    circuit.reset();
    circuit.reset();
    assert_eq!(others.facts(), [Change::HeldOpen, Change::Reset, Change::Reset], "a reset of a closed circuit too");
    circuit.trip();
    assert_eq!(others.facts(), [Change::Tripped { cooldown: COOLDOWN }]);
}

// Law 13, across processes. Red when others are heard before the fleet has taken the reset.
#[test]
fn a_reset_wins_over_what_was_said_before_it() {
    let (_bed, others, circuit) = process();
    others.say(20, OPEN);
    circuit.reset();
    others.say(30, OPEN);
    assert_eq!(circuit.state(), State::Closed);
    others.confirm(40, CLOSED);
    succeed(&circuit, 1);
}

// Red when a circuit that is held open keeps the era of what it was before: then the answer to that releases it.
#[test]
fn an_answer_to_an_earlier_command_does_not_undo_a_later_one() {
    let (bed, others, circuit) = process();
    circuit.trip();
    let tripped = others.news()[0].stamp;
    circuit.hold_open();
    others.link().update("shop-7", StateUpdate { era: 20, state: OPEN, answers: tripped });
    bed.clock.advance(COOLDOWN);
    assert_eq!(circuit.state(), State::Open);
    others.confirm(30, FleetState::HeldOpen);
    assert!(circuit.snapshot().held);
}

#[test]
fn a_verdict_that_got_lost_is_told_again() {
    let (bed, others, circuit) = process();
    open(&circuit);
    let stamp = others.news()[1].stamp.unwrap();
    others.link().undelivered("shop-7", stamp);
    bed.clock.advance(30 * SECOND);
    // The fleet is back, and has forgotten everything, or nothing.
    others.say(99, FleetState::Forgotten);
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(others.facts(), [Change::Opened { cooldown: COOLDOWN.checked_sub(30 * SECOND).unwrap() }]);
    // What was decided since is newer.
    others.link().undelivered("shop-7", stamp);
    others.say(100, CLOSED);
    assert_eq!(circuit.state(), State::Closed);
}

// Red when a process that probed by itself while the fleet was away lets the fleet close its circuit.
#[test]
fn an_opening_by_a_probe_of_its_own_is_told_later() {
    let (_bed, others, circuit) = cooled();
    assert!(circuit.try_acquire().is_err());
    others.link().unavailable("shop-7");
    assert!(call(&circuit, Evidence::Failed));
    others.news();
    others.say(99, FleetState::Forgotten);
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(others.facts(), [Change::Opened { cooldown: COOLDOWN }]);
}

#[test]
fn a_fleet_that_forgot_means_closed_and_an_event() {
    let (bed, others, circuit) = process();
    others.say(20, OPEN);
    others.say(19, FleetState::Forgotten);
    assert_eq!(circuit.state(), State::Open, "said before it was opened");
    others.say(21, FleetState::Forgotten);
    succeed(&circuit, 1);
    assert_eq!(reasons(&bed.events), [Reason::FleetOpened, Reason::FleetForgot]);
    // And what comes then is new, whatever its number.
    others.say(2, OPEN);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn a_circuit_that_is_removed_here_stays_with_the_others() {
    let (bed, others, circuit) = process();
    assert!(bed.registry.remove("shop-7"));
    assert_eq!(others.facts(), []);
    drop(circuit);
    assert_eq!(others.link().connections(), [] as [Arc<str>; 0]);
    others.say(20, OPEN);
    assert!(bed.registry.is_empty(), "nothing is made of what is told");
}

#[test]
fn a_fleet_that_panics_or_talks_back_harms_nobody() {
    struct TalksBack(Mutex<Option<Link>>);
    impl Fleet for TalksBack {
        fn join(&self, link: Link) -> bool {
            *self.0.lock().unwrap() = Some(link);
            true
        }
        fn publish(&self, report: CircuitReport) {
            let link = self.0.lock().unwrap().clone().unwrap();
            let told = StateUpdate { era: 1, state: OPEN, answers: report.stamp };
            link.update(&report.connection, told);
            assert!(link.grant(&report.connection, 2, LEASE), "a panic");
        }
    }
    let bed = test_bed_with(|config| config, |registry| registry.fleet(TalksBack(Mutex::default())));
    let circuit = bed.registry.circuit("shop-7");
    assert_eq!(circuit.state(), State::Open);
    circuit.trip();
    circuit.reset();
    assert_eq!(circuit.state(), State::Open, "the fleet insisted");
}

#[test]
fn a_fleet_that_has_a_registry_takes_no_other() {
    let others = Others::default();
    let _first = Registry::builder().config(Config::default()).fleet(others.clone()).build().unwrap();
    let error = Registry::builder().fleet(others).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fleet` is one that serves another registry already, but must be given to one registry"
    );
}
