//! The worker processes, and what they said.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub(crate) struct Team {
    workers: Vec<Child>,
    lines: Receiver<(usize, String)>,
    said: Vec<String>,
    start: Instant,
}

impl Team {
    pub(crate) fn of(count: usize, server: &str, shop: &str) -> io::Result<Self> {
        let (sender, lines) = channel();
        let mut workers = Vec::new();
        for number in 1..=count {
            let mut worker =
                Command::new(std::env::current_exe()?).args(["worker", server, shop]).stdout(Stdio::piped()).spawn()?;
            let output = worker.stdout.take().expect("it is piped");
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send((number, line)).is_err() {
                        return;
                    }
                }
            });
            workers.push(worker);
        }
        Ok(Self { workers, lines, said: Vec::new(), start: Instant::now() })
    }

    /// Prints what they say for a while.
    pub(crate) fn watch(&mut self, span: Duration) {
        let end = Instant::now() + span;
        while let Ok((worker, line)) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            println!("   {:>6} ms  worker {worker}: {line}", self.start.elapsed().as_millis());
            self.said.push(line);
        }
    }

    /// How many lines have this in them.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.said.iter().filter(|line| line.contains(text)).count()
    }

    pub(crate) fn clear(&mut self) {
        self.said.clear();
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}
