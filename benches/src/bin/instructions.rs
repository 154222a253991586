//! Runs each case under callgrind, which dumps after each. `instructions.sh` starts it and reads the dumps.

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once};

/// Enough calls that rare work shows in the mean.
const CALLS: u32 = 1_000;

struct Callgrind;

impl Runner for Callgrind {
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64) {
        // The first calls set up caches and are not measured.
        for _ in 0..4 {
            call_once(subject, article);
        }
        measured_case(subject, article);
        end_of_case(name);
    }
}

/// Callgrind starts counting when this function is entered.
#[inline(never)]
fn measured_case<S: Subject>(subject: &S, article: u64) {
    for _ in 0..CALLS {
        call_once(subject, article);
    }
}

/// Callgrind dumps when this function is entered.
#[inline(never)]
fn end_of_case(name: &str) {
    println!("{name}");
}

fn main() {
    cases::ours(&mut Callgrind);
    #[cfg(feature = "rivals")]
    cases::rivals(&mut Callgrind);
}
