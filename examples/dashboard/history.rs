//! What each circuit has been through lately.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use breaker_core::{Event, State};

/// How far the page looks back.
pub(crate) const WINDOW: Duration = Duration::from_mins(3);
/// A circuit that flaps all the time keeps so many changes at most.
const CHANGES: usize = 64;

/// Changes of state by connection, with the page's own time: milliseconds since the start. Clones share one history.
#[derive(Clone)]
pub(crate) struct History {
    start: Instant,
    changes: Arc<Mutex<HashMap<String, Vec<Change>>>>,
}

/// From `at` on a circuit is in `state`.
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

    /// The page's time now.
    pub(crate) fn now(&self) -> u64 {
        millis(self.start.elapsed())
    }

    /// The hook that writes the history.
    pub(crate) fn hook(&self) -> impl Fn(&Event) + Send + Sync + 'static {
        let history = self.clone();
        move |event| history.add(event, history.now())
    }

    fn add(&self, event: &Event, now: u64) {
        let mut changes = self.changes();
        let of_circuit = changes.entry(event.connection.as_str().to_owned()).or_default();
        // What was foreseen has not come to pass if something else came before.
        of_circuit.retain(|change| change.at <= now);
        if of_circuit.last().is_none_or(|last| last.state != event.to) {
            let change = Change { at: now, state: event.to, reason: event.reason.as_str(), operation: event.operation };
            of_circuit.push(change);
        }
        if let Some(wait) = event.retry_after {
            // The end of the cooldown is no event, for it comes about without anybody doing anything.
            let at = now.saturating_add(millis(wait));
            of_circuit.push(Change { at, state: State::HalfOpen, reason: "cooldown over", operation: None });
        }
        let outdated = of_circuit.len().saturating_sub(CHANGES);
        of_circuit.drain(..outdated);
    }

    /// What a circuit went through within the window, and the state it came with.
    pub(crate) fn of(&self, connection: &str) -> Vec<Change> {
        self.changes().get(connection).cloned().unwrap_or_default()
    }

    /// Forgets what lies before the window, but for the state that each circuit entered it with.
    pub(crate) fn prune(&self, now: u64) {
        let from = now.saturating_sub(millis(WINDOW));
        self.changes().retain(|_, changes| {
            let entered_with = changes.iter().rposition(|change| change.at <= from).unwrap_or(0);
            changes.drain(..entered_with);
            // Closed all along is what a circuit without a history is.
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
