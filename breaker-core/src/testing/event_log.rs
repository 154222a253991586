//! `EventLog`: a record of events, with assertions.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::circuit::Connection;
use crate::event::{Event, Reason};
use crate::state::{State, one_line};

/// Records events and asserts the history of a circuit. Clones share one record.
///
/// ```
/// use breaker_core::{Reason, Registry, State, testing::EventLog};
///
/// let events = EventLog::new();
/// let registry = Registry::builder().on_event(events.hook()).build()?;
/// registry.circuit("shop-7").trip();
/// registry.circuit("shop-7").reset();
///
/// events.assert_states("shop-7", [State::Closed, State::Open, State::Closed]);
/// events.assert_reasons("shop-7", [Reason::Tripped, Reason::Reset]);
/// events.assert_none("shop-8");
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventLog(Arc<Mutex<Vec<Event>>>);

impl EventLog {
    /// Creates an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the hook for [`RegistryBuilder::on_event`](crate::RegistryBuilder::on_event).
    pub fn hook(&self) -> impl Fn(&Event) + Send + Sync + 'static {
        let log = self.clone();
        move |event| log.events().push(event.clone())
    }

    /// Returns all events of a connection so far, in order.
    #[must_use]
    pub fn of<C: Connection + ?Sized>(&self, connection: &C) -> Vec<Event> {
        let key = connection.key();
        self.events().iter().filter(|event| event.connection.as_str() == key.as_str()).cloned().collect()
    }

    /// Returns all events so far, in the order of their delivery.
    #[must_use]
    pub fn all(&self) -> Vec<Event> {
        self.events().clone()
    }

    /// Removes all recorded events.
    pub fn clear(&self) {
        self.events().clear();
    }

    /// Asserts the sequence of states of a connection's circuit, including the first state.
    ///
    /// # Panics
    ///
    /// If the recorded sequence differs. The message shows both sequences side by side.
    #[track_caller]
    pub fn assert_states<C: Connection + ?Sized>(&self, connection: &C, expected: impl IntoIterator<Item = State>) {
        let expected: Vec<_> = expected.into_iter().collect();
        let step = |pair: &[State]| (format!("{} -> {}", pair[0], pair[1]), (pair[0], pair[1]));
        let steps: Vec<_> = expected.windows(2).map(step).collect();
        self.assert(connection, &steps, |event| (event.from, event.to));
    }

    /// Asserts the sequence of reasons for which a connection's circuit changed its state.
    ///
    /// # Panics
    ///
    /// If the recorded sequence differs. The message shows both sequences side by side.
    #[track_caller]
    pub fn assert_reasons<C: Connection + ?Sized>(&self, connection: &C, expected: impl IntoIterator<Item = Reason>) {
        let steps: Vec<_> = expected.into_iter().map(|reason| (reason.to_string(), reason)).collect();
        self.assert(connection, &steps, |event| event.reason);
    }

    /// Asserts that a connection's circuit never changed its state.
    ///
    /// # Panics
    ///
    /// If it did. The message shows the changes.
    #[track_caller]
    pub fn assert_none<C: Connection + ?Sized>(&self, connection: &C) {
        self.assert_reasons(connection, []);
    }

    #[track_caller]
    fn assert<C, T>(&self, connection: &C, expected: &[(String, T)], seen: impl Fn(&Event) -> T)
    where
        C: Connection + ?Sized,
        T: PartialEq,
    {
        let recorded = self.of(connection);
        let as_expected = expected.len() == recorded.len()
            && expected.iter().zip(&recorded).all(|((_, expected), event)| *expected == seen(event));
        if as_expected {
            return;
        }
        let mut rows = Vec::new();
        for position in 0..expected.len().max(recorded.len()) {
            let (expected, event) = (expected.get(position), recorded.get(position));
            let differs = expected.map(|(_, step)| step) != event.map(&seen).as_ref();
            rows.push([
                expected.map_or_else(|| "(nothing)".to_owned(), |(text, _)| text.clone()),
                event.map_or_else(|| "(nothing)".to_owned(), describe),
                (if differs { "<- differs" } else { "" }).to_owned(),
            ]);
        }
        let connection = connection.key();
        let connection = one_line(&connection);
        panic!("the events of connection `{connection}` differ from the expected ones{}", side_by_side(&rows));
    }

    fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn describe(event: &Event) -> String {
    let Event { from, to, reason, operation, .. } = event;
    let by = operation.map(|operation| format!(" by `{}`", one_line(operation))).unwrap_or_default();
    format!("{from} -> {to} ({reason}){by}")
}

fn side_by_side(rows: &[[String; 3]]) -> String {
    let header = ["expected", "recorded", ""].map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&header]).map(|row| row[column].len()).max().unwrap_or(0);
    let (expected, recorded) = (width(0), width(1));
    let mut table = String::new();
    for row in [&header].into_iter().chain(rows) {
        let line = format!("  {:expected$}   {:recorded$}   {}", row[0], row[1], row[2]);
        // Writing to a `String` never fails.
        let _ = write!(table, "\n{}", line.trim_end());
    }
    table
}
