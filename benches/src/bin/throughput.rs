//! How many calls one thread makes on a circuit, and two threads together: one line a case, tab-separated.
//!
//! Short rounds with one thread and with two take turns, and the median of each counts. A round counts only if nobody
//! else took a core from a thread of it (Linux tells) and all ran at the same time, for else they would merely take
//! turns: so a busy machine does little harm, but makes it take longer. A thread that went to sleep by itself, on a lock of
//! the breaker's own, has only the breaker to blame.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{array, fs, hint, thread};

use breaker_benches::cases::{self, Runner};
use breaker_benches::subject::{Subject, call_once};

const ROUND: Duration = Duration::from_micros(500);
/// So many rounds with two threads are wanted.
const ROUNDS: usize = 101;
/// On a machine that is too busy for that, fewer have to do.
const PATIENCE: Duration = Duration::from_secs(3);

struct Throughput {
    /// Only cases whose name contains it.
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

/// How many calls fill a round.
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

/// Millions of calls a second that all threads make together, if the round counts.
fn together<S: Subject, const THREADS: usize>(subject: &S, article: u64, calls: u32) -> Option<f64> {
    let arrived = AtomicUsize::new(0);
    let rate = || {
        // Whatever a thread sets up with its first calls is no cost of a call.
        for _ in 0..4 {
            call_once(subject, article);
        }
        arrived.fetch_add(1, Ordering::AcqRel);
        // They start when all run, so they spin.
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
    // A lock need not be fair, so one may well finish before the other.
    let counts = runs.iter().all(|run| run.2) && together >= all / 2;
    counts.then(|| runs.iter().map(|_| f64::from(calls)).sum::<f64>() / all.as_secs_f64() / 1e6)
}

/// How often this thread lost its core, and for how long it was ready to run and had none.
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

    /// Whether nobody took the core away since then. Whoever sleeps waits a little for a core when it wakes up, so that
    /// alone is no disturbance.
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
