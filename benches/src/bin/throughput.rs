//! The throughput of one thread, and of two threads that share a circuit. Prints one line for each case, separated by
//! tabs.
//!
//! Short rounds with one thread and with two alternate, and the result is the median of each kind. A round is used only
//! if all of its threads ran at the same time and no other process took a core from one of them, according to the
//! scheduler of Linux. So a busy machine hardly changes the result but makes the measurement longer. A round whose
//! threads sleep on a lock of the breaker is used, because that is a cost of the breaker.

#[path = "../program.rs"]
mod program;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{array, fs, hint, thread};

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once, warm_up};

/// The approximate length of a round.
const ROUND: Duration = Duration::from_micros(500);
/// The number of usable rounds of each kind.
const ROUNDS: usize = 101;
/// The measurement of a case ends after this time, because a busy machine may never have enough usable rounds.
const TIME_LIMIT: Duration = Duration::from_secs(3);

struct Throughput {
    /// Selects the cases whose name contains this text.
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
        while one.len().min(two.len()) < ROUNDS && start.elapsed() < TIME_LIMIT {
            one.extend(run_round::<S, 1>(subject, article, calls));
            two.extend(run_round::<S, 2>(subject, article, calls));
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

/// Returns the number of calls that take about as long as a round.
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

/// Runs one round. Returns the throughput of all threads in millions of calls per second, or `None` if the round is not
/// usable.
fn run_round<S: Subject, const THREADS: usize>(subject: &S, article: u64, calls: u32) -> Option<f64> {
    let arrived = AtomicUsize::new(0);
    let run = || {
        warm_up(subject, article);
        arrived.fetch_add(1, Ordering::AcqRel);
        // Spins until all threads run, so that all start at the same time.
        while arrived.load(Ordering::Acquire) < THREADS {
            hint::spin_loop();
        }
        let (before, start) = (SchedulerCounts::now(), Instant::now());
        for _ in 0..calls {
            call_once(subject, article);
        }
        let end = Instant::now();
        Run { start, end, is_undisturbed: SchedulerCounts::now().ran_undisturbed_since(&before) }
    };
    let runs = thread::scope(|scope| {
        let threads: [_; THREADS] = array::from_fn(|_| scope.spawn(run));
        threads.map(|thread| thread.join().expect("no call panics"))
    });
    let first_start = runs.iter().map(|run| run.start).min()?;
    let last_start = runs.iter().map(|run| run.start).max()?;
    let first_end = runs.iter().map(|run| run.end).min()?;
    let last_end = runs.iter().map(|run| run.end).max()?;
    let (total, overlap) = (last_end - first_start, first_end.saturating_duration_since(last_start));
    // An overlap of half the time is enough, because one thread may end early if a lock is not fair.
    let is_usable = runs.iter().all(|run| run.is_undisturbed) && overlap >= total / 2;
    is_usable.then(|| runs.iter().map(|_| f64::from(calls)).sum::<f64>() / total.as_secs_f64() / 1e6)
}

/// The calls of one thread in a round.
struct Run {
    start: Instant,
    end: Instant,
    is_undisturbed: bool,
}

/// The counts of the scheduler for this thread.
struct SchedulerCounts {
    /// How long the thread was ready to run without a core.
    waited: Duration,
    /// How often the thread gave up its core, for example to wait for a lock.
    slept: u64,
    /// How often the scheduler took the core away.
    preempted: u64,
}

impl SchedulerCounts {
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
            preempted: count("nonvoluntary_ctxt_switches:"),
        }
    }

    /// Returns whether the thread always had a core since then, except while it slept. A thread that has slept waits
    /// briefly for a core when it wakes up, so its waiting time is ignored.
    fn ran_undisturbed_since(&self, before: &Self) -> bool {
        self.preempted == before.preempted && (self.slept != before.slept || self.waited == before.waited)
    }
}

fn median(mut rates: Vec<f64>) -> Option<f64> {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied()
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!("case\tns per call\tone thread, M/s\ttwo threads, M/s\ttwo threads / one\trounds");
    let mut throughput = Throughput { filter };
    cases::run_core(&mut throughput);
    program::run(&mut throughput);
    #[cfg(feature = "rivals")]
    cases::run_rivals(&mut throughput);
}
