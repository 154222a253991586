//! The recent changes of state of each circuit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use breaker_core::{Event, State};

/// How far back the page shows changes.
pub(crate) const WINDOW: Duration = Duration::from_mins(3);
/// The largest number of changes that is kept for one circuit, which bounds the memory of a circuit that flaps.
const MAX_CHANGES: usize = 64;

/// Changes of state by connection. Clones share one history.
///
/// Times are in milliseconds since the start of the program.
#[derive(Clone)]
pub(crate) struct History {
    start: Instant,
    changes: Arc<Mutex<HashMap<String, Vec<Change>>>>,
}

/// A change of state at the time `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) at: u64,
    pub(crate) state: State,
    pub(crate) reason: &'static str,
    pub(crate) operation: Option<&'static str>,
}

impl History {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), changes: Arc::default() }
    }

    /// Returns the present time in milliseconds since the start.
    pub(crate) fn now(&self) -> u64 {
        millis(self.start.elapsed())
    }

    /// Returns a hook for `RegistryBuilder::on_event` that records each change of state.
    pub(crate) fn hook(&self) -> impl Fn(&Event) + Send + Sync + 'static {
        let history = self.clone();
        move |event| history.add(event, history.now())
    }

    fn add(&self, event: &Event, now: u64) {
        let mut changes = self.changes();
        let changes_of_circuit = changes.entry(event.connection.as_str().to_owned()).or_default();
        // Drops the scheduled end of a cooldown if this change comes before it.
        changes_of_circuit.retain(|change| change.at <= now);
        // An open circuit that opens again has a new reason.
        if changes_of_circuit.last().is_none_or(|last| last.state != event.to || event.to == State::Open) {
            let change = Change { at: now, state: event.to, reason: event.reason.as_str(), operation: event.operation };
            changes_of_circuit.push(change);
        }
        if let Some(wait) = event.retry_after {
            // The end of the cooldown is scheduled here, because the circuit publishes no event at that time.
            let at = now.saturating_add(millis(wait));
            changes_of_circuit.push(Change { at, state: State::HalfOpen, reason: "cooldown over", operation: None });
        }
        let outdated = changes_of_circuit.len().saturating_sub(MAX_CHANGES);
        changes_of_circuit.drain(..outdated);
    }

    /// Returns the changes of a circuit within the window, and the last one before it.
    pub(crate) fn of(&self, connection: &str) -> Vec<Change> {
        self.changes().get(connection).cloned().unwrap_or_default()
    }

    /// Removes the changes before the window, except for the last one, which is the state at the start of the window.
    pub(crate) fn prune(&self, now: u64) {
        let from = now.saturating_sub(millis(WINDOW));
        self.changes().retain(|_, changes| {
            let last_before = changes.iter().rposition(|change| change.at <= from).unwrap_or(0);
            changes.drain(..last_before);
            // A circuit that was closed throughout the window needs no entry.
            changes.len() > 1 || changes.first().is_some_and(|only| only.at > from || only.state != State::Closed)
        });
    }

    fn changes(&self) -> MutexGuard<'_, HashMap<String, Vec<Change>>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
