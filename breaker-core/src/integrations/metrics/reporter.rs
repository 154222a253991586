//! Hands on what the circuits counted.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metrics::Label;

use super::series::{self, View};
use super::slots::{Slot, Slots};
use crate::clock::Time;
use crate::event::Snapshot;
use crate::registry::Registry;
use crate::telemetry::{Counts, STATES, Sample};

/// How many connections have series of their own, unless told otherwise.
const CONNECTIONS: usize = 1_000;

/// Hands on to the installed recorder what the circuits of a registry counted since the last report.
///
/// Use one for each registry: two would share the counts between them. It keeps the registry alive.
#[must_use = "a reporter reports when it is told to"]
pub struct Reporter {
    registry: Registry,
    connections: usize,
    labels: Vec<Label>,
    /// Made by the first report, when the settings are known.
    slots: Mutex<Option<Slots>>,
}

impl Reporter {
    /// A reporter of all circuits of a registry.
    pub fn new(registry: &Registry) -> Self {
        Self { registry: registry.clone(), connections: CONNECTIONS, labels: Vec::new(), slots: Mutex::default() }
    }

    /// How many connections have series of their own at most. Default 1,000.
    ///
    /// What the others count goes to `connection="(other)"`.
    pub fn connections(mut self, limit: usize) -> Self {
        self.connections = limit;
        self
    }

    /// Adds a label to every series, to tell the registries of one process apart.
    pub fn label(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.labels.push(Label::new(name, value.into()));
        self
    }

    /// Reports now: for an exporter that is asked, just before it renders.
    pub fn report(&self) {
        let mut slots = self.slots();
        let slots = slots.get_or_insert_with(|| Slots::new(self.connections, &self.labels));
        series::describe();
        // Looked at and taken first, told afterwards: the recorder is foreign code, and the map is locked meanwhile.
        let mut look = slots.look();
        self.registry.visit_activity(|connection, is_active| look.see(connection, is_active));
        look.assign(&self.labels);
        let now = self.registry.now();
        let mut own = Vec::new();
        let mut others = self.registry.take_retired();
        let mut circuits = [0_u32; STATES.len()];
        self.registry.take_samples(|account, snapshot| {
            circuits[account.state as usize] += 1;
            if slots.has(&snapshot.connection) {
                own.push((account, snapshot));
            } else {
                others.add(&account.counts);
            }
        });
        for (account, snapshot) in &own {
            if let Some(slot) = slots.get_mut(&snapshot.connection) {
                slot.series.count(&account.counts);
                let view = view(slot, account, snapshot, now);
                slot.series.show(Some(&view));
            }
        }
        if slots.other.is_used() || others != Counts::default() {
            slots.other.count(&others);
        }
        series::show_circuits(&self.labels, circuits);
    }

    /// Reports again and again from a thread of its own, until the handle is dropped, and a last time then.
    ///
    /// # Panics
    ///
    /// If the system refuses the thread.
    pub fn every(self, interval: Duration) -> Reporting {
        let (running, stopped) = mpsc::channel::<()>();
        let report = move || {
            loop {
                self.report();
                if stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                    self.report();
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("breaker-metrics".to_owned()).spawn(report);
        let thread = thread.expect("the system refused a thread for reporting metrics");
        Reporting { running: Some(running), thread: Some(thread) }
    }

    fn slots(&self) -> MutexGuard<'_, Option<Slots>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn view(slot: &mut Slot, account: &Sample, snapshot: &Snapshot, now: Time) -> View {
    // Kept, so that the moment does not waver with the time between the readings of two clocks.
    let since_unix = match slot.since {
        Some((since, unix)) if since == account.since => unix,
        _ => {
            let ago = now.since(account.since).as_secs_f64();
            let unix_now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
            let unix = unix_now - ago;
            slot.since = Some((account.since, unix));
            unix
        }
    };
    View {
        state: account.state,
        since_unix,
        retry_after: match snapshot.retry_after {
            _ if snapshot.held => f64::INFINITY,
            Some(wait) => wait.as_secs_f64(),
            None => 0.0,
        },
        streak: snapshot.streak,
        last_failure: snapshot
            .last_failure
            .as_ref()
            .map(|last| (last.operation.unwrap_or_default(), last.error.unwrap_or_default())),
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter")
            .field("registry", &self.registry)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// Reports until it is dropped: the handle of [`Reporter::every`].
#[derive(Debug)]
#[must_use = "reporting ends when this is dropped"]
pub struct Reporting {
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Reporting {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take() {
            // A recorder that panicked has printed so, and there is nothing left to save.
            let _ = thread.join();
        }
    }
}
