//! The feed of a page: first all circuits, then the changes.

use std::collections::HashMap;

use breaker_core::{Last, Registry, Snapshot};
use serde_json::{Value, json};

use crate::history::{History, WINDOW, millis};

/// The state that one open page has received.
pub(crate) struct Feed {
    registry: Registry,
    history: History,
    known: HashMap<String, Value>,
}

impl Feed {
    pub(crate) fn new(registry: Registry, history: History) -> Self {
        Self { registry, history, known: HashMap::new() }
    }

    /// Returns the changes since the last call. Times are on the scale of the page, so that they do not change with the
    /// delay of a message.
    pub(crate) fn news(&mut self) -> Value {
        let now = self.history.now();
        self.history.prune(now);
        let mut changed = Vec::new();
        let mut known = HashMap::new();
        for snapshot in self.registry.snapshots() {
            let connection = snapshot.connection.as_str().to_owned();
            let row = self.row(&snapshot, now);
            if self.known.remove(&connection).as_ref() != Some(&row) {
                changed.push(row.clone());
            }
            known.insert(connection, row);
        }
        let gone: Vec<_> = self.known.drain().map(|(connection, _)| connection).collect();
        self.known = known;
        json!({ "now": now, "window": millis(WINDOW), "changed": changed, "gone": gone })
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
            // A tenth of a second is precise enough, and equal in every message.
            "retryAt": snapshot.retry_after.map(|wait| (now + millis(wait) + 50) / 100 * 100),
            "opened": snapshot.times_opened,
            "failed": snapshot.failed,
            "rejected": snapshot.rejected,
            "refused": snapshot.marked_answers,
            "lastFailure": snapshot.last_failure.as_ref().map(|last| moment(last, now)),
            "lastAnswer": snapshot.last_answer.as_ref().map(|last| moment(last, now)),
            "changes": changes,
        })
    }
}

fn moment(last: &Last, now: u64) -> Value {
    // Rounded to whole seconds, so that the time is equal in every message.
    let at = now.saturating_sub(millis(last.age)) / 1000 * 1000;
    json!({ "operation": last.operation, "error": last.error.map(short), "at": at })
}

/// The last part of a type's path, without its module.
fn short(type_name: &str) -> &str {
    let path = type_name.split('<').next().unwrap_or(type_name);
    path.rsplit("::").next().unwrap_or(path)
}
