//! Wall time of each case with Criterion: `cargo bench`, with `--features rivals` for the rivals too.

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once};
use criterion::Criterion;

struct Wall(Criterion);

impl Runner for Wall {
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64) {
        self.0.bench_function(name, |bencher| bencher.iter(|| call_once(subject, article)));
    }
}

fn main() {
    let mut wall = Wall(Criterion::default().configure_from_args());
    cases::ours(&mut wall);
    #[cfg(feature = "rivals")]
    cases::rivals(&mut wall);
    wall.0.final_summary();
}
