//! The recent history of each circuit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use breaker_core::{Event, State};

/// The time window of the page.
pub(crate) const WINDOW: Duration = Duration::from_mins(3);
/// The largest number of changes that are kept for one circuit.
const CHANGES: usize = 64;

/// Changes of state by connection, on the time scale of the page: milliseconds since the start. Clones share one
/// history.
#[derive(Clone)]
pub(crate) struct History {
    start: Instant,
    changes: Arc<Mutex<HashMap<String, Vec<Change>>>>,
}

/// The circuit is in `state` from `at` on.
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

    /// The current time on the scale of the page.
    pub(crate) fn now(&self) -> u64 {
        millis(self.start.elapsed())
    }

    /// The hook that records the history.
    pub(crate) fn hook(&self) -> impl Fn(&Event) + Send + Sync + 'static {
        let history = self.clone();
        move |event| history.add(event, history.now())
    }

    fn add(&self, event: &Event, now: u64) {
        let mut changes = self.changes();
        let of_circuit = changes.entry(event.connection.as_str().to_owned()).or_default();
        // A scheduled change is removed if another change comes first.
        of_circuit.retain(|change| change.at <= now);
        if of_circuit.last().is_none_or(|last| last.state != event.to) {
            let change = Change { at: now, state: event.to, reason: event.reason.as_str(), operation: event.operation };
            of_circuit.push(change);
        }
        if let Some(wait) = event.retry_after {
            // The end of the cooldown causes no event, because no call is involved.
            let at = now.saturating_add(millis(wait));
            of_circuit.push(Change { at, state: State::HalfOpen, reason: "cooldown over", operation: None });
        }
        let outdated = of_circuit.len().saturating_sub(CHANGES);
        of_circuit.drain(..outdated);
    }

    /// Returns the states of a circuit within the window, starting with the state at its beginning.
    pub(crate) fn of(&self, connection: &str) -> Vec<Change> {
        self.changes().get(connection).cloned().unwrap_or_default()
    }

    /// Removes changes from before the window, except for the state at its beginning.
    pub(crate) fn prune(&self, now: u64) {
        let from = now.saturating_sub(millis(WINDOW));
        self.changes().retain(|_, changes| {
            let entered_with = changes.iter().rposition(|change| change.at <= from).unwrap_or(0);
            changes.drain(..entered_with);
            // A circuit without a history has always been closed.
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
