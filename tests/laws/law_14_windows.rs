//! Law 14: windows slide, with fixed memory and in constant time.

use std::time::Duration;

use crate::common::{CallError, Outcome, SECOND, TICK, circuit, fail, just_before, reasons, succeed, test_bed};
use breaker_core::{Answers, Evidence, Reason, State};

const WINDOW: Duration = Duration::from_secs(16);

// Fails if the rate covers all calls ever made.
#[test]
fn ten_thousand_successes_do_not_protect() {
    let bed = test_bed(|config| config.failure_threshold(1_000).failure_rate(0.5, 10, WINDOW));
    let circuit = bed.registry.circuit("shop-7");
    succeed(&circuit, 10_000);
    bed.clock.advance(WINDOW + SECOND);
    fail(&circuit, 9);
    assert_eq!(circuit.state(), State::Closed, "the minimum of calls is not reached");
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(reasons(&bed.events), [Reason::Rate]);
}

// Fails if the window tumbles, which means that it is emptied at once.
#[test]
fn the_rate_window_slides_and_does_not_tumble() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1_000).failure_rate(0.5, 8, WINDOW));
    // Four failures at the end of one window and four at the start of the next are eight within less than the length of
    // a window.
    clock.advance(15 * SECOND);
    fail(&circuit, 4);
    clock.advance(2 * SECOND);
    fail(&circuit, 3);
    assert_eq!(circuit.state(), State::Closed);
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
}

// Fails if old buckets are never subtracted.
#[test]
fn a_failure_leaves_the_rate_with_its_bucket() {
    for step in [SECOND, 5 * SECOND, WINDOW, 10 * WINDOW] {
        let (circuit, clock) = circuit(|config| config.failure_threshold(1_000).failure_rate(0.5, 1, WINDOW));
        for _ in 0..100 {
            // At any time, a quarter of the calls fails.
            succeed(&circuit, 3);
            fail(&circuit, 1);
            clock.advance(step);
        }
        assert_eq!(circuit.state(), State::Closed);
    }
}

// Fails if clearing the streak clears the rate.
#[test]
fn a_rate_is_not_masked_by_answers() {
    let (circuit, _) = circuit(|config| config.failure_threshold(3).failure_rate(0.5, 10, WINDOW));
    for _ in 0..4 {
        fail(&circuit, 1);
        succeed(&circuit, 1);
    }
    assert_eq!(circuit.state(), State::Closed);
    fail(&circuit, 1);
    succeed(&circuit, 1);
    assert_eq!(circuit.state(), State::Closed, "an answer never opens a circuit");
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
}

// Fails if a failure still counts at the very end of the window.
#[test]
fn the_failure_window_slides() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(3).failure_window(WINDOW));
    fail(&circuit, 1);
    clock.advance(WINDOW / 2);
    fail(&circuit, 1);
    clock.advance(just_before(WINDOW / 2));
    assert_eq!(circuit.snapshot().streak, 2);
    clock.advance(TICK);
    assert_eq!(circuit.snapshot().streak, 1, "the first one is too old");
    fail(&circuit, 1);
    assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 2));
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn a_success_clears_the_failure_window_and_a_kept_streak_stays_in_it() {
    let (cleared, _) = circuit(|config| config.failure_threshold(2).failure_window(WINDOW));
    fail(&cleared, 1);
    succeed(&cleared, 1);
    fail(&cleared, 1);
    assert_eq!(cleared.state(), State::Closed);

    let (kept, _) = circuit(|config| config.failure_threshold(2).failure_window(WINDOW).answers(Answers::KeepStreak));
    fail(&kept, 1);
    let marked: Outcome = kept.call(|| Err(CallError::NotFound));
    assert!(marked.is_err());
    fail(&kept, 1);
    assert_eq!(kept.state(), State::Open);
}

// Fails if an Unknown result counts as a call.
#[test]
fn an_unknown_result_counts_in_no_window() {
    let (circuit, _) = circuit(|config| config.failure_threshold(1_000).failure_rate(0.5, 4, WINDOW));
    for _ in 0..100 {
        assert!(crate::common::call(&circuit, Evidence::Unknown));
    }
    fail(&circuit, 3);
    assert_eq!(circuit.state(), State::Closed);
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
}

// Fails if the ratio is multiplied by the calls, because 0.55 times 100 is slightly more than 55.
#[test]
fn a_rate_is_reached_exactly() {
    for (ratio, failures, calls) in [(0.1, 1, 10), (0.3, 3, 10), (0.07, 7, 100), (0.14, 14, 100), (0.55, 55, 100)] {
        let (circuit, _) = circuit(|config| config.failure_threshold(1_000).failure_rate(ratio, calls, WINDOW));
        succeed(&circuit, calls - failures);
        fail(&circuit, failures - 1);
        assert_eq!(circuit.state(), State::Closed, "{failures} of {calls} are not reached");
        fail(&circuit, 1);
        assert_eq!(circuit.state(), State::Open, "{failures} of {calls}");
    }
}
