//! Runs each case under callgrind, which writes a dump after each case. `instructions.sh` starts this program and reads the
//! dumps. The arguments are the names of the cases to run; without one, all of them run.

#[path = "../program.rs"]
mod program;

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once, warm_up};

/// Enough calls that work done once in many calls shows in the mean.
const CALLS: u32 = 1_000;

struct Callgrind {
    names: Vec<String>,
}

impl Runner for Callgrind {
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64) {
        if !self.names.is_empty() && !self.names.iter().any(|chosen| chosen == name) {
            return;
        }
        warm_up(subject, article);
        measured_case(subject, article);
        end_of_case(name);
    }
}

/// Callgrind sets its counters to zero at the start of this function.
#[inline(never)]
fn measured_case<S: Subject>(subject: &S, article: u64) {
    for _ in 0..CALLS {
        call_once(subject, article);
    }
}

/// Callgrind writes a dump at the start of this function.
#[inline(never)]
fn end_of_case(name: &str) {
    println!("{name}");
}

fn main() {
    let mut callgrind = Callgrind { names: std::env::args().skip(1).collect() };
    cases::run_core(&mut callgrind);
    program::run(&mut callgrind);
    #[cfg(feature = "rivals")]
    cases::run_rivals(&mut callgrind);
}
