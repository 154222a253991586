//! The throughput of one thread and of two threads on a circuit: one line for each case, separated by tabs.
//!
//! Short rounds with one thread and with two alternate, and the median of each counts. A round counts only if no other
//! process took a core from one of its threads (reported by Linux) and all threads ran at the same time. So a busy
//! machine has little effect on the result but makes the measurement longer. A thread that sleeps, on a lock of the
//! breaker, is counted as it is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{array, fs, hint, thread};

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once};

const ROUND: Duration = Duration::from_micros(500);
/// The number of rounds with two threads.
const ROUNDS: usize = 101;
/// The smallest number, for a machine that is too busy.
const PATIENCE: Duration = Duration::from_secs(3);

struct Throughput {
    /// Only cases whose name contains this.
    filter: String,
}

impl Runner for Throughput {
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64) {
        if !name.contains(&self.filter) {
            return;
        }
        let calls = calibrate(subject, article);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while one.len().min(two.len()) < ROUNDS && start.elapsed() < PATIENCE {
            one.extend(together::<S, 1>(subject, article, calls));
            two.extend(together::<S, 2>(subject, article, calls));
        }
        let rounds = two.len();
        match (median(one), median(two)) {
            (Some(one), Some(two)) => {
                println!("{name}\t{:.1}\t{one:.1}\t{two:.1}\t{:.2}\t{rounds}", 1_000.0 / one, two / one);
            }
            _ => println!("{name}\tthe machine is too busy"),
        }
    }
}

/// The number of calls that fill a round.
fn calibrate<S: Subject>(subject: &S, article: u64) -> u32 {
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < ROUND {
        for _ in 0..100 {
            call_once(subject, article);
        }
        calls += 100;
    }
    calls
}

/// Millions of calls a second of all threads together, if the round counts.
fn together<S: Subject, const THREADS: usize>(subject: &S, article: u64, calls: u32) -> Option<f64> {
    let arrived = AtomicUsize::new(0);
    let rate = || {
        // The first calls of a thread set up caches and are not measured.
        for _ in 0..4 {
            call_once(subject, article);
        }
        arrived.fetch_add(1, Ordering::AcqRel);
        // The threads start when all of them run, so they spin until then.
        while arrived.load(Ordering::Acquire) < THREADS {
            hint::spin_loop();
        }
        let (before, start) = (Turns::now(), Instant::now());
        for _ in 0..calls {
            call_once(subject, article);
        }
        let end = Instant::now();
        (start, end, Turns::now().undisturbed_since(&before))
    };
    let runs = thread::scope(|scope| {
        let threads: [_; THREADS] = array::from_fn(|_| scope.spawn(rate));
        threads.map(|thread| thread.join().expect("no call panics"))
    });
    let first_start = runs.iter().map(|run| run.0).min()?;
    let last_start = runs.iter().map(|run| run.0).max()?;
    let first_end = runs.iter().map(|run| run.1).min()?;
    let last_end = runs.iter().map(|run| run.1).max()?;
    let (all, together) = (last_end - first_start, first_end.saturating_duration_since(last_start));
    // A lock need not be fair, so one thread may finish before the other.
    let counts = runs.iter().all(|run| run.2) && together >= all / 2;
    counts.then(|| runs.iter().map(|_| f64::from(calls)).sum::<f64>() / all.as_secs_f64() / 1e6)
}

/// How often this thread lost its core, and for how long it was runnable without one.
struct Turns {
    waited: Duration,
    slept: u64,
    taken_away: u64,
}

impl Turns {
    fn now() -> Self {
        let read = |file| fs::read_to_string(file).unwrap_or_default();
        let schedule = read("/proc/thread-self/schedstat");
        let waited = schedule.split_whitespace().nth(1).and_then(|nanos| nanos.parse().ok());
        let status = read("/proc/thread-self/status");
        let count = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
        };
        Self {
            waited: Duration::from_nanos(waited.unwrap_or(0)),
            slept: count("voluntary_ctxt_switches:"),
            taken_away: count("nonvoluntary_ctxt_switches:"),
        }
    }

    /// Whether no other process took the core since then. A thread that sleeps waits briefly for a core when it wakes
    /// up, which alone is not a disturbance.
    fn undisturbed_since(&self, before: &Self) -> bool {
        self.taken_away == before.taken_away && (self.slept != before.slept || self.waited == before.waited)
    }
}

fn median(mut rates: Vec<f64>) -> Option<f64> {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied()
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!("case\tns a call\tone thread, M/s\ttwo threads, M/s\ttwo to one\trounds");
    let mut throughput = Throughput { filter };
    cases::ours(&mut throughput);
    #[cfg(feature = "rivals")]
    cases::rivals(&mut throughput);
}
