//! The reporter, which passes the counts of circuits to a recorder.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use metrics::Label;

use super::series::{self, GaugeValues};
use super::slots::{Slot, Slots};
use crate::clock::{Time, TimeSource};
use crate::event::Snapshot;
use crate::registry::Registry;
use crate::state::State;
use crate::telemetry::{Counts, Sample};

/// The default number of connections with series of their own.
const CONNECTIONS: usize = 1_000;

/// Passes the counts of a registry's circuits since the last report to the installed recorder.
///
/// Use one for each registry: two would split the counts between them. It keeps the registry alive.
#[must_use = "a reporter does nothing until `report` or `every` is called"]
pub struct Reporter {
    registry: Registry,
    connections: usize,
    labels: Vec<Label>,
    /// Created by the first report, when the settings are final.
    slots: Mutex<Option<Slots>>,
}

impl Reporter {
    /// A reporter of all circuits of a registry.
    pub fn new(registry: &Registry) -> Self {
        Self { registry: registry.clone(), connections: CONNECTIONS, labels: Vec::new(), slots: Mutex::default() }
    }

    /// The largest number of connections with series of their own. Default 1,000.
    ///
    /// The counts of all others are added to `connection="(other)"`.
    pub fn connections(mut self, limit: usize) -> Self {
        self.connections = limit;
        self
    }

    /// Adds a label to every series, to distinguish the registries of one process.
    pub fn label(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.labels.push(Label::new(name, value.into()));
        self
    }

    /// Reports now. Call it just before an exporter renders, where the exporter is scraped.
    pub fn report(&self) {
        let mut slots = self.slots();
        let slots = slots.get_or_insert_with(|| Slots::new(self.connections, &self.labels));
        series::describe();
        // All samples are taken before the first one is reported, because a part of the map is locked while samples are
        // taken and a recorder is foreign code.
        let mut assignment = slots.start_assignment();
        self.registry.visit_activity(|connection, activity| assignment.add(connection, activity));
        assignment.finish(&self.labels);
        let now = self.registry.now();
        let mut own = Vec::new();
        let mut others = self.registry.take_retired();
        let mut circuits = [0_u32; State::ALL.len()];
        self.registry.take_samples(|sample, snapshot| {
            circuits[sample.state as usize] += 1;
            if slots.has(&snapshot.connection) {
                own.push((sample, snapshot));
            } else {
                others.add(&sample.counts);
            }
        });
        for (sample, snapshot) in &own {
            if let Some(slot) = slots.get_mut(&snapshot.connection) {
                slot.series.count(&sample.counts);
                let values = gauge_values(slot, sample, snapshot, self.registry.time_source(), now);
                slot.series.set_gauges(Some(&values));
            }
        }
        if slots.other.is_used() || others != Counts::default() {
            slots.other.count(&others);
        }
        series::set_circuits(&self.labels, circuits);
    }

    /// Reports at this interval from a thread of its own until the handle is dropped, and once more then.
    ///
    /// # Panics
    ///
    /// If the system cannot start a thread.
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
        let thread = thread.expect("the system cannot start a thread for reporting metrics");
        Reporting { running: Some(running), thread: Some(thread) }
    }

    fn slots(&self) -> MutexGuard<'_, Option<Slots>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gauge_values(
    slot: &mut Slot,
    sample: &Sample,
    snapshot: &Snapshot,
    time_source: &TimeSource,
    now: Time,
) -> GaugeValues {
    // The value is kept while the state lasts. Otherwise it would change with the time between two clock readings.
    let since_unix = match slot.since {
        Some((since, unix)) if since == sample.since => unix,
        _ => {
            let unix = time_source.unix_seconds(sample.since, now);
            slot.since = Some((sample.since, unix));
            unix
        }
    };
    GaugeValues {
        state: sample.state,
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

/// Handle of [`Reporter::every`]: reporting ends when it is dropped.
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
            // The panic handler has already printed the panic of a recorder.
            let _ = thread.join();
        }
    }
}
