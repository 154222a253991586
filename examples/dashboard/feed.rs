//! The updates that an open page receives: first all circuits, then those that have changed.

use std::collections::HashMap;

use breaker_core::{Last, Registry, Snapshot};
use serde_json::{Value, json};

use crate::history::{History, WINDOW, millis};

/// The updates of one open page.
pub(crate) struct Feed {
    registry: Registry,
    history: History,
    /// The rows that the page has received, by connection.
    sent: HashMap<String, Value>,
}

impl Feed {
    pub(crate) fn new(registry: Registry, history: History) -> Self {
        Self { registry, history, sent: HashMap::new() }
    }

    /// Returns the rows that have changed since the last call.
    ///
    /// A row has the times of events and not their ages. So a row changes only if its circuit does.
    pub(crate) fn update(&mut self) -> Value {
        let now = self.history.now();
        self.history.prune(now);
        let mut changed = Vec::new();
        let mut sent = HashMap::new();
        for snapshot in self.registry.snapshots() {
            let connection = snapshot.connection.as_str().to_owned();
            let row = self.row(&snapshot, now);
            if self.sent.remove(&connection).as_ref() != Some(&row) {
                changed.push(row.clone());
            }
            sent.insert(connection, row);
        }
        let removed: Vec<_> = self.sent.drain().map(|(connection, _)| connection).collect();
        self.sent = sent;
        json!({ "now": now, "window": millis(WINDOW), "changed": changed, "removed": removed })
    }

    fn row(&self, snapshot: &Snapshot, now: u64) -> Value {
        let connection = snapshot.connection.as_str();
        let changes: Vec<_> = self
            .history
            .of(connection)
            .iter()
            .map(|change| json!([change.at, change.state.as_str(), change.reason, change.operation]))
            .collect();
        json!({
            "connection": connection,
            "state": snapshot.state.as_str(),
            "held": snapshot.held,
            "streak": snapshot.streak,
            // Rounded to a tenth of a second, because the sum differs by a few milliseconds between two updates.
            "retryAt": snapshot.retry_after.map(|wait| (now + millis(wait) + 50) / 100 * 100),
            "opened": snapshot.times_opened,
            "failed": snapshot.failed,
            "rejected": snapshot.rejected,
            "marked": snapshot.marked_answers,
            "lastFailure": snapshot.last_failure.as_ref().map(|last| last_call(last, now)),
            "lastAnswer": snapshot.last_answer.as_ref().map(|last| last_call(last, now)),
            "changes": changes,
        })
    }
}

fn last_call(last: &Last, now: u64) -> Value {
    // Rounded to whole seconds, because the difference varies by a few milliseconds between two updates.
    let at = now.saturating_sub(millis(last.age)) / 1000 * 1000;
    json!({ "operation": last.operation, "error": last.error.map(without_path), "at": at })
}

/// Returns the name of a type without its path and without generic arguments.
fn without_path(type_name: &str) -> &str {
    let path = type_name.split('<').next().unwrap_or(type_name);
    path.rsplit("::").next().unwrap_or(path)
}
