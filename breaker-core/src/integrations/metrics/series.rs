//! Names of the metrics, and the series of one connection.

use metrics::{Label, Unit};

use crate::event::Reason;
use crate::rejection::RejectionReason;
use crate::state::State;
use crate::telemetry::{Counts, state_after};

const CALLS: &str = "circuit_breaker_calls_total";
const REJECTED: &str = "circuit_breaker_rejections_total";
const TRANSITIONS: &str = "circuit_breaker_transitions_total";
const STATE_SECONDS: &str = "circuit_breaker_state_seconds_total";
const STALE: &str = "circuit_breaker_stale_results_total";
const CLEARED: &str = "circuit_breaker_failures_cleared_by_answers_total";
const STATE: &str = "circuit_breaker_state";
const SINCE: &str = "circuit_breaker_state_since_timestamp_seconds";
const RETRY_AFTER: &str = "circuit_breaker_retry_after_seconds";
const STREAK: &str = "circuit_breaker_streak";
const LAST_FAILURE: &str = "circuit_breaker_last_failure_info";
const CIRCUITS: &str = "circuit_breaker_circuits";

/// Describes each metric to the recorder. Repeated with each report, because a recorder may be installed late.
pub(super) fn describe() {
    let counters = [
        (CALLS, Unit::Count, "Finished calls, by their evidence about the remote system (calls)."),
        (REJECTED, Unit::Count, "Calls rejected because the circuit was not closed, by reason (calls)."),
        (TRANSITIONS, Unit::Count, "Changes of state, by the state they led to and by reason (changes)."),
        (STATE_SECONDS, Unit::Seconds, "Time spent in a state, in whole seconds (seconds)."),
        (STALE, Unit::Count, "Ignored results of calls from before a change of state (results)."),
        (CLEARED, Unit::Count, "Failures that an answer cleared from the streak, which can hide a decline (failures)."),
    ];
    for (name, unit, help) in counters {
        metrics::describe_counter!(name, unit, help);
    }
    let gauges = [
        (STATE, Unit::Count, "Whether the circuit is in this state (1 or 0)."),
        (SINCE, Unit::Seconds, "When the current state began (seconds of Unix time)."),
        (RETRY_AFTER, Unit::Seconds, "Remaining cooldown, 0 outside one, +Inf while held open (seconds)."),
        (STREAK, Unit::Count, "Failures that currently count towards the threshold (failures)."),
        (LAST_FAILURE, Unit::Count, "The operation and the type of error of the last failure (1, or 0 once outdated)."),
        (CIRCUITS, Unit::Count, "Circuits of the registry, by state (circuits)."),
    ];
    for (name, unit, help) in gauges {
        metrics::describe_gauge!(name, unit, help);
    }
}

/// The series of one connection, or of all other connections together.
pub(super) struct Series {
    labels: Vec<Label>,
    /// The sum of all counts so far, which shows which series exist.
    total: Counts,
    /// Time below a whole second, which is counted with the next report.
    carried: [u64; State::ALL.len()],
    last_failure: Option<[Label; 2]>,
}

const SECOND: u64 = 1_000_000_000;

impl Series {
    pub(super) fn new(common: &[Label], connection: String) -> Self {
        let labels = common.iter().cloned().chain([Label::new("connection", connection)]).collect();
        Self { labels, total: Counts::default(), carried: Default::default(), last_failure: None }
    }

    /// Adds the counts to the counters, and touches those that received a count before.
    pub(super) fn count(&mut self, counts: &Counts) {
        let mut counts = counts.clone();
        for (nanos, carried) in counts.nanos_in.iter_mut().zip(&mut self.carried) {
            *nanos = nanos.saturating_add(*carried);
            *carried = *nanos % SECOND;
            *nanos /= SECOND;
        }
        self.total.add(&counts);
        let total = &self.total;
        let evidence = [("answered", counts.answered), ("failed", counts.failed), ("unknown", counts.unknown)];
        for (evidence, calls) in evidence {
            metrics::counter!(CALLS, self.with([Label::from_static_parts("evidence", evidence)])).increment(calls);
        }
        for (state, seconds) in State::ALL.iter().zip(counts.nanos_in) {
            metrics::counter!(STATE_SECONDS, self.with([state_label(*state)])).increment(seconds);
        }
        for ((reason, calls), total) in RejectionReason::ALL.iter().zip(counts.rejections).zip(total.rejections) {
            if total > 0 {
                metrics::counter!(REJECTED, self.with([reason_label(reason.as_str())])).increment(calls);
            }
        }
        for ((reason, changes), total) in Reason::ALL.iter().zip(counts.transitions).zip(total.transitions) {
            if let (Some(to), true) = (state_after(*reason), total > 0) {
                let to = Label::from_static_parts("to", to.as_str());
                metrics::counter!(TRANSITIONS, self.with([to, reason_label(reason.as_str())])).increment(changes);
            }
        }
        if total.stale > 0 {
            metrics::counter!(STALE, self.labels.clone()).increment(counts.stale);
        }
        if total.cleared > 0 {
            metrics::counter!(CLEARED, self.labels.clone()).increment(counts.cleared);
        }
    }

    /// Sets the gauges; `None` where the circuit was evicted.
    pub(super) fn set_gauges(&mut self, values: Option<&GaugeValues>) {
        for state in State::ALL.iter().copied() {
            let is_current = values.is_some_and(|values| values.state == state);
            metrics::gauge!(STATE, self.with([state_label(state)])).set(f64::from(u8::from(is_current)));
        }
        let gauge = |name, value| metrics::gauge!(name, self.labels.clone()).set(value);
        gauge(SINCE, values.map_or(0.0, |values| values.since_unix));
        gauge(RETRY_AFTER, values.map_or(0.0, |values| values.retry_after));
        gauge(STREAK, values.map_or(0.0, |values| f64::from(values.streak)));

        let failure = values.and_then(|values| values.last_failure.as_ref()).map(|(operation, error)| {
            [Label::from_static_parts("operation", operation), Label::from_static_parts("error", error)]
        });
        if self.last_failure != failure {
            if let Some(outdated) = self.last_failure.take() {
                metrics::gauge!(LAST_FAILURE, self.with(outdated)).set(0.0);
            }
        }
        if let Some(failure) = failure {
            metrics::gauge!(LAST_FAILURE, self.with(failure.clone())).set(1.0);
            self.last_failure = Some(failure);
        }
    }

    /// Takes the time below a whole second.
    pub(super) fn take_carried(&mut self) -> Counts {
        Counts { nanos_in: std::mem::take(&mut self.carried), ..Counts::default() }
    }

    /// Adds time that another series had not reported yet.
    pub(super) fn carry(&mut self, counts: &Counts) {
        for (carried, more) in self.carried.iter_mut().zip(counts.nanos_in) {
            *carried = carried.saturating_add(more);
        }
    }

    pub(super) fn is_used(&self) -> bool {
        self.total != Counts::default() || self.carried != <[u64; State::ALL.len()]>::default()
    }

    fn with<const N: usize>(&self, more: [Label; N]) -> Vec<Label> {
        self.labels.iter().cloned().chain(more).collect()
    }
}

/// The values of one circuit's gauges.
#[derive(Debug)]
pub(super) struct GaugeValues {
    pub(super) state: State,
    pub(super) since_unix: f64,
    pub(super) retry_after: f64,
    pub(super) streak: u32,
    /// The operation and the type of the error, each empty where there is none.
    pub(super) last_failure: Option<(&'static str, &'static str)>,
}

/// Sets the number of circuits in each state.
pub(super) fn set_circuits(common: &[Label], circuits: [u32; State::ALL.len()]) {
    for (state, circuits) in State::ALL.iter().zip(circuits) {
        let labels: Vec<_> = common.iter().cloned().chain([state_label(*state)]).collect();
        metrics::gauge!(CIRCUITS, labels).set(f64::from(circuits));
    }
}

fn state_label(state: State) -> Label {
    Label::from_static_parts("state", state.as_str())
}

fn reason_label(reason: &'static str) -> Label {
    Label::from_static_parts("reason", reason)
}
