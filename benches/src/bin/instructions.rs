//! Runs each case under callgrind, which dumps after each; `instructions.sh` drives it and reads the dumps.

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once};

/// So many that what happens once in a while shows in the mean.
const CALLS: u32 = 1_000;

struct Callgrind;

impl Runner for Callgrind {
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64) {
        // What the first calls set up is no cost of a call.
        for _ in 0..4 {
            call_once(subject, article);
        }
        measured_case(subject, article);
        end_of_case(name);
    }
}

/// Callgrind starts to count where this is entered.
#[inline(never)]
fn measured_case<S: Subject>(subject: &S, article: u64) {
    for _ in 0..CALLS {
        call_once(subject, article);
    }
}

/// Callgrind dumps where this is entered.
#[inline(never)]
fn end_of_case(name: &str) {
    println!("{name}");
}

fn main() {
    cases::ours(&mut Callgrind);
    #[cfg(feature = "rivals")]
    cases::rivals(&mut Callgrind);
}
