//! The chain of events of a circuit in a fleet, after random updates, grants, commands and calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{COOLDOWN, LEASE, call, test_bed_with};
use breaker_core::fleet::{CircuitReport, Fleet, FleetState, Link, StateUpdate};
use breaker_core::{Event, Evidence, State};
use proptest::collection::vec;
use proptest::prelude::*;

/// A fleet that stores its link and the stamp of the last verdict.
#[derive(Clone, Default)]
struct LinkedFleet(Arc<Mutex<(Option<Link>, Option<u64>)>>);

impl Fleet for LinkedFleet {
    fn join(&self, link: Link) -> bool {
        self.0.lock().unwrap().0 = Some(link);
        true
    }

    fn publish(&self, report: CircuitReport) {
        let mut fleet = self.0.lock().unwrap();
        fleet.1 = report.stamp.or(fleet.1);
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// An update of a newer era if true, and otherwise of the known one. It may answer the last verdict.
    Update(FleetState, bool, bool),
    Grant,
    Withdraw,
    Unavailable,
    Call(Evidence),
    Leak,
    Wait(Duration),
    Reset,
    Trip,
    HoldOpen,
}

fn step() -> impl Strategy<Value = Step> {
    let time = prop_oneof![Just(Duration::ZERO), Just(COOLDOWN / 2), Just(COOLDOWN), Just(LEASE)];
    let state = prop_oneof![
        any::<bool>().prop_map(|failures| FleetState::Closed { failures }),
        time.clone().prop_map(|remaining| FleetState::Open { remaining }),
        time.clone().prop_map(|remaining| FleetState::Probing { remaining }),
        Just(FleetState::HeldOpen),
        Just(FleetState::Forgotten),
    ];
    prop_oneof![
        6 => (state, any::<bool>(), any::<bool>()).prop_map(|(state, newer, answers)| Step::Update(state, newer, answers)),
        2 => Just(Step::Grant),
        1 => Just(Step::Withdraw),
        1 => Just(Step::Unavailable),
        4 => prop_oneof![Just(Evidence::Answered), Just(Evidence::Failed), Just(Evidence::Unknown)].prop_map(Step::Call),
        1 => Just(Step::Leak),
        4 => time.prop_map(Step::Wait),
        1 => Just(Step::Reset),
        1 => Just(Step::Trip),
        1 => Just(Step::HoldOpen),
    ]
}

/// Makes the steps. Returns the events, and the state that a reader sees at the end.
fn run(steps: &[Step]) -> (Vec<Event>, State) {
    let fleet = LinkedFleet::default();
    let bed = test_bed_with(|config| config.failure_threshold(2), |registry| registry.fleet(fleet.clone()));
    let circuit = bed.registry.circuit("shop-7");
    let link = fleet.0.lock().unwrap().0.clone().unwrap();
    let mut era = 10;
    for step in steps {
        match *step {
            Step::Update(state, newer, is_answer) => {
                era += u64::from(newer);
                let answers = if is_answer { fleet.0.lock().unwrap().1 } else { None };
                link.update("shop-7", StateUpdate { era, state, answers });
            }
            Step::Grant => {
                era += 1;
                let _ = link.grant("shop-7", era, LEASE);
            }
            Step::Withdraw => {
                let _ = link.withdraw("shop-7", era);
            }
            Step::Unavailable => link.unavailable("shop-7"),
            Step::Call(evidence) => {
                call(&circuit, evidence);
            }
            Step::Leak => std::mem::forget(circuit.try_acquire()),
            Step::Wait(time) => bed.clock.advance(time),
            Step::Reset => circuit.reset(),
            Step::Trip => circuit.trip(),
            Step::HoldOpen => circuit.hold_open(),
        }
    }
    (bed.events.all(), circuit.state())
}

// Law 9, across processes. Fails if an update causes an event that does not begin where the last one ended.
proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn each_event_begins_where_the_last_one_ended(steps in vec(step(), 1..40)) {
        let (events, seen) = run(&steps);
        let mut state = State::Closed;
        for event in &events {
            prop_assert_eq!(event.from, state, "{}", history(&events));
            state = event.to;
        }
        // The end of a cooldown is seen by a reader before its event is due.
        let is_over = state == State::Open && seen == State::HalfOpen;
        prop_assert!(is_over || state == seen, "seen {seen} after {}", history(&events));
    }
}

fn history(events: &[Event]) -> String {
    events.iter().map(Event::to_string).collect::<Vec<_>>().join("\n")
}

// Fails if an update that opens an open circuit again causes no event: a log would go on to promise the earlier retry.
#[test]
fn a_remote_hold_of_an_open_circuit_has_an_event() {
    let open = FleetState::Open { remaining: COOLDOWN };
    let (events, _) = run(&[Step::Update(open, true, false), Step::Update(FleetState::HeldOpen, true, false)]);
    let seen: Vec<_> = events.iter().map(|event| (event.from, event.to, event.retry_after)).collect();
    assert_eq!(seen, [(State::Closed, State::Open, Some(COOLDOWN)), (State::Open, State::Open, None)]);
}
