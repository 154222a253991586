//! The workers, as the scenario controls them: processes that print each event on a line.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any step of the scenario takes.
const WORKER_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Workers(Vec<Worker>);

struct Worker {
    process: Child,
    /// Its standard input: a worker ends when it is closed, which also happens when this process ends in any way.
    stop_pipe: ChildStdin,
    lines: Arc<Mutex<Vec<String>>>,
}

/// Counts of all workers' calls by result since they were last requested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) answered: u64,
    pub(crate) failed: u64,
    pub(crate) rejected: u64,
    /// The longest time that a call took in addition to its body.
    pub(crate) longest: Duration,
    /// Operations and grants that the fleet's server has answered since the start.
    pub(crate) operations: u64,
    pub(crate) grants: u64,
}

/// An event of a worker.
#[derive(Clone, Debug)]
pub(crate) struct WorkerEvent {
    /// Counted from 1.
    pub(crate) worker: usize,
    /// Microseconds of the wall clock.
    pub(crate) at: u64,
    pub(crate) what: String,
}

impl Workers {
    pub(crate) fn start(size: usize, shop: SocketAddr, fleet: &str) -> Result<Self, Box<dyn Error>> {
        let mut workers = Self(Vec::new());
        for _ in 0..size {
            workers.0.push(Worker::start(&shop.to_string(), fleet)?);
        }
        Ok(workers)
    }

    /// Returns the first such event of each worker since a moment. Waits until all workers have one.
    pub(crate) fn wait_for(&self, kind: &str, what: &str, since: u64) -> Result<Vec<WorkerEvent>, Box<dyn Error>> {
        let start = Instant::now();
        loop {
            let all = self.events(kind, what, since);
            let firsts: Vec<_> =
                (1..=self.0.len()).filter_map(|number| all.iter().find(|it| it.worker == number).cloned()).collect();
            if firsts.len() == self.0.len() {
                return Ok(firsts);
            }
            if start.elapsed() > WORKER_TIMEOUT {
                return Err(format!("not every worker printed `{kind} {what}`: {all:?}").into());
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Returns all events of the workers since a moment that start with a text.
    pub(crate) fn events(&self, kind: &str, what: &str, since: u64) -> Vec<WorkerEvent> {
        let mut found = Vec::new();
        for (index, worker) in self.0.iter().enumerate() {
            for line in worker.lines().iter() {
                let mut words = line.splitn(3, ' ');
                if let (Some(line_kind), Some(at), Some(rest)) = (words.next(), words.next(), words.next()) {
                    let at = at.parse().unwrap_or(0);
                    if line_kind == kind && at >= since && rest.starts_with(what) {
                        found.push(WorkerEvent { worker: index + 1, at, what: rest.to_owned() });
                    }
                }
            }
        }
        found.sort_by_key(|event| event.at);
        found
    }

    pub(crate) fn counts(&mut self) -> Result<Counts, Box<dyn Error>> {
        let mut sum = Counts::default();
        for worker in &mut self.0 {
            let [answered, failed, rejected, longest, operations, grants] = worker.counts()?;
            sum.answered += answered;
            sum.failed += failed;
            sum.rejected += rejected;
            sum.longest = sum.longest.max(Duration::from_nanos(longest));
            sum.operations += operations;
            sum.grants += grants;
        }
        Ok(sum)
    }
}

impl Worker {
    fn start(shop: &str, fleet: &str) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["worker", shop, fleet])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stop_pipe = process.stdin.take().ok_or("a worker has no standard input")?;
        let output = BufReader::new(process.stdout.take().ok_or("a worker has no standard output")?);
        let lines = Arc::new(Mutex::new(Vec::new()));
        let received = lines.clone();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                received.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Ok(Self { process, stop_pipe, lines })
    }

    fn lines(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts(&mut self) -> Result<[u64; 6], Box<dyn Error>> {
        let is_counts = |line: &String| line.starts_with("counts ");
        let known = self.lines().iter().filter(|line| is_counts(line)).count();
        writeln!(self.stop_pipe, "counts")?;
        let start = Instant::now();
        while start.elapsed() < WORKER_TIMEOUT {
            let answer = self.lines().iter().filter(|line| is_counts(line)).nth(known).cloned();
            if let Some(answer) = answer {
                let numbers: Vec<u64> = answer.split(' ').skip(1).filter_map(|number| number.parse().ok()).collect();
                return numbers.try_into().map_err(|_| format!("a worker printed {answer:?}").into());
            }
            sleep(Duration::from_millis(1));
        }
        Err("a worker does not answer".into())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
