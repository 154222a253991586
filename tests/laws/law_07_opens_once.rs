//! Law 7: a circuit opens once, with one event, however many calls fail at the same moment.

use std::sync::Barrier;
use std::thread;

use crate::common::{COOLDOWN, changes, has_free_slot, permit, test_bed};
use breaker_core::{Evidence, Reason, State};

const CALLS: u32 = 16;

// Fails if a failure that arrives at an open circuit opens it again.
#[test]
fn calls_that_fail_together_open_the_circuit_once() {
    for threshold in [1, 5, CALLS - 1, CALLS] {
        for _ in 0..25 {
            let bed = test_bed(|config| config.failure_threshold(threshold));
            let circuit = bed.registry.circuit("shop-7");
            let at_once = Barrier::new(CALLS as usize);
            thread::scope(|scope| {
                for _ in 0..CALLS {
                    scope.spawn(|| {
                        let call = permit(&circuit);
                        at_once.wait();
                        call.settle(Evidence::Failed);
                    });
                }
            });
            assert_eq!(changes(&bed.events), [(State::Closed, State::Open, Reason::Threshold)]);
            let snapshot = circuit.snapshot();
            assert_eq!((snapshot.state, snapshot.times_opened), (State::Open, 1));
            assert_eq!(snapshot.failed, u64::from(threshold), "every failure up to the threshold counts");
            assert_eq!(snapshot.stale, u64::from(CALLS - threshold), "and the rest is late");

            bed.clock.advance(COOLDOWN);
            assert!(has_free_slot(&circuit), "half-open on time");
        }
    }
}
