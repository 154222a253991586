//! Wall time of each case, measured with Criterion: `cargo bench`, or `cargo bench --features rivals` to add the rivals.

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once};
use criterion::Criterion;

struct WallTime(Criterion);

impl Runner for WallTime {
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64) {
        self.0.bench_function(name, |bencher| bencher.iter(|| call_once(subject, article)));
    }
}

fn main() {
    let mut wall = WallTime(Criterion::default().configure_from_args());
    cases::run_core(&mut wall);
    #[cfg(feature = "rivals")]
    cases::run_rivals(&mut wall);
    wall.0.final_summary();
}
