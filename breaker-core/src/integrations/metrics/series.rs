//! The names, and how a value reaches the recorder.

use metrics::{Label, Unit};

use crate::state::State;
use crate::telemetry::{Counts, REASONS, REJECTIONS, STATES};

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

/// Tells the recorder what each name means. Repeated with each report, for a recorder may be installed late.
pub(super) fn describe() {
    let counters = [
        (CALLS, Unit::Count, "Finished calls, by what they said of the remote system (calls)."),
        (REJECTED, Unit::Count, "Calls that were not made because the circuit was open, by reason (calls)."),
        (TRANSITIONS, Unit::Count, "Changes of state, by the state they led to and by reason (changes)."),
        (STATE_SECONDS, Unit::Seconds, "Time spent in a state, in whole seconds (seconds)."),
        (STALE, Unit::Count, "Results of calls from before a change of state, which changed nothing (results)."),
        (CLEARED, Unit::Count, "Failures that an answer cleared from the streak, which can hide a decline (failures)."),
    ];
    for (name, unit, help) in counters {
        metrics::describe_counter!(name, unit, help);
    }
    let gauges = [
        (STATE, Unit::Count, "Whether the circuit is in this state (1 or 0)."),
        (SINCE, Unit::Seconds, "When the present state began (seconds of Unix time)."),
        (RETRY_AFTER, Unit::Seconds, "Rest of the cooldown, 0 outside one, +Inf while held open (seconds)."),
        (STREAK, Unit::Count, "Failures that count towards the threshold at present (failures)."),
        (LAST_FAILURE, Unit::Count, "The operation and the type of error of the last failure (1, or 0 once outdated)."),
        (CIRCUITS, Unit::Count, "Circuits of the registry, by state (circuits)."),
    ];
    for (name, unit, help) in gauges {
        metrics::describe_gauge!(name, unit, help);
    }
}

/// The series of one connection, or of all the others together.
pub(super) struct Series {
    labels: Vec<Label>,
    /// All that these series were given, to know which of them exist.
    given: Counts,
    /// Time that is not yet a whole second.
    carried: [u64; STATES.len()],
    last_failure: Option<[Label; 2]>,
}

const SECOND: u64 = 1_000_000_000;

impl Series {
    pub(super) fn new(common: &[Label], connection: String) -> Self {
        let labels = common.iter().cloned().chain([Label::new("connection", connection)]).collect();
        Self { labels, given: Counts::default(), carried: Default::default(), last_failure: None }
    }

    /// Gives every counter what was counted, and touches those that it gave something to before.
    pub(super) fn count(&mut self, counts: &Counts) {
        let mut counts = counts.clone();
        for (nanos, carried) in counts.nanos_in.iter_mut().zip(&mut self.carried) {
            *nanos = nanos.saturating_add(*carried);
            *carried = *nanos % SECOND;
            *nanos /= SECOND;
        }
        self.given.add(&counts);
        let given = &self.given;
        let evidence = [("answered", counts.answered), ("failed", counts.failed), ("unknown", counts.unknown)];
        for (evidence, calls) in evidence {
            metrics::counter!(CALLS, self.with([Label::from_static_parts("evidence", evidence)])).increment(calls);
        }
        for (state, seconds) in STATES.iter().zip(counts.nanos_in) {
            metrics::counter!(STATE_SECONDS, self.with([of_state(*state)])).increment(seconds);
        }
        for ((reason, calls), given) in REJECTIONS.iter().zip(counts.rejections).zip(given.rejections) {
            if given > 0 {
                metrics::counter!(REJECTED, self.with([of_reason(reason.as_str())])).increment(calls);
            }
        }
        for (((reason, to), changes), given) in REASONS.iter().zip(counts.transitions).zip(given.transitions) {
            if given > 0 {
                let to = Label::from_static_parts("to", to.as_str());
                metrics::counter!(TRANSITIONS, self.with([to, of_reason(reason.as_str())])).increment(changes);
            }
        }
        if given.stale > 0 {
            metrics::counter!(STALE, self.labels.clone()).increment(counts.stale);
        }
        if given.cleared > 0 {
            metrics::counter!(CLEARED, self.labels.clone()).increment(counts.cleared);
        }
    }

    /// How the circuit is now; `None` where there is none any more.
    pub(super) fn show(&mut self, view: Option<&View>) {
        for state in STATES {
            let is_in_it = view.is_some_and(|view| view.state == state);
            metrics::gauge!(STATE, self.with([of_state(state)])).set(f64::from(u8::from(is_in_it)));
        }
        let gauge = |name, value| metrics::gauge!(name, self.labels.clone()).set(value);
        gauge(SINCE, view.map_or(0.0, |view| view.since_unix));
        gauge(RETRY_AFTER, view.map_or(0.0, |view| view.retry_after));
        gauge(STREAK, view.map_or(0.0, |view| f64::from(view.streak)));

        let failure = view.and_then(|view| view.last_failure.as_ref()).map(|(operation, error)| {
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

    /// Time that was counted and is not yet a whole second.
    pub(super) fn take_carried(&mut self) -> Counts {
        Counts { nanos_in: std::mem::take(&mut self.carried), ..Counts::default() }
    }

    /// Takes on time that another series had not yet told.
    pub(super) fn carry(&mut self, counts: &Counts) {
        for (carried, more) in self.carried.iter_mut().zip(counts.nanos_in) {
            *carried = carried.saturating_add(more);
        }
    }

    pub(super) fn is_used(&self) -> bool {
        self.given != Counts::default() || self.carried != <[u64; STATES.len()]>::default()
    }

    fn with<const N: usize>(&self, more: [Label; N]) -> Vec<Label> {
        self.labels.iter().cloned().chain(more).collect()
    }
}

/// What the gauges of one circuit show.
#[derive(Debug)]
pub(super) struct View {
    pub(super) state: State,
    pub(super) since_unix: f64,
    pub(super) retry_after: f64,
    pub(super) streak: u32,
    /// The operation and the type of the error, each empty where it has none.
    pub(super) last_failure: Option<(&'static str, &'static str)>,
}

/// The number of circuits in each state.
pub(super) fn show_circuits(common: &[Label], circuits: [u32; STATES.len()]) {
    for (state, circuits) in STATES.iter().zip(circuits) {
        let labels: Vec<_> = common.iter().cloned().chain([of_state(*state)]).collect();
        metrics::gauge!(CIRCUITS, labels).set(f64::from(circuits));
    }
}

fn of_state(state: State) -> Label {
    Label::from_static_parts("state", state.as_str())
}

fn of_reason(reason: &'static str) -> Label {
    Label::from_static_parts("reason", reason)
}
