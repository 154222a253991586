//! What a circuit reports: events to hooks and `tracing`, counts to `metrics`.
//!
//! Without the features `metrics` and `tracing`, every function here compiles to nothing.

#[cfg(feature = "metrics")]
mod circuit_metrics;
#[cfg(feature = "metrics")]
mod counts;
mod hooks;
#[cfg(feature = "metrics")]
mod striped_count;
#[cfg(feature = "tracing")]
mod tracing;

use crate::clock::Time;
use crate::evidence::Judgement;
use crate::machine::{Published, Settlement, Transition};
use crate::rejection::{CircuitOpen, RejectionReason};

pub(crate) use crate::panics::contained;
#[cfg(feature = "metrics")]
pub(crate) use circuit_metrics::{CircuitMetrics, Sample};
#[cfg(feature = "metrics")]
pub(crate) use counts::{Counts, Retired, state_after};
pub(crate) use hooks::{Hook, Hooks};

/// The metrics of one circuit; without the feature, an empty type.
#[derive(Debug)]
pub(crate) struct Telemetry {
    #[cfg(feature = "metrics")]
    pub(crate) metrics: CircuitMetrics,
}

#[cfg_attr(
    not(feature = "metrics"),
    expect(unused_variables, clippy::unused_self, reason = "without metrics nothing is counted")
)]
impl Telemetry {
    #[inline]
    pub(crate) fn new(now: Time) -> Self {
        Self {
            #[cfg(feature = "metrics")]
            metrics: CircuitMetrics::new(now),
        }
    }

    /// Counts a success that left the circuit as it was. Called for every healthy call.
    #[inline]
    pub(crate) fn plain_success(&self) {
        #[cfg(feature = "metrics")]
        self.metrics.plain_success();
    }

    /// Counts any other result. Called under the lock of the circuit.
    #[inline]
    pub(crate) fn result(&self, judgement: Judgement, settlement: &Settlement) {
        #[cfg(feature = "metrics")]
        self.metrics.result(judgement, settlement);
    }

    /// Records the published state, changed or not. Called under the lock of the circuit.
    #[inline]
    pub(crate) fn published(&self, published: Published, now: Time) {
        #[cfg(feature = "metrics")]
        self.metrics.published(published, now);
    }

    /// Counts a change of state. Called under the lock of the circuit.
    #[inline]
    pub(crate) fn transition(&self, transition: Transition) {
        #[cfg(feature = "metrics")]
        self.metrics.transition(transition);
    }

    /// Counts a rejected call, unless it is counted in a stripe.
    #[inline]
    pub(crate) fn rejection(&self, reason: RejectionReason) {
        #[cfg(feature = "metrics")]
        self.metrics.rejection(reason);
    }

    /// Logs a rejected call. Called outside every lock.
    #[inline]
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "without tracing nothing is logged"))]
    pub(crate) fn log_rejection(open: &CircuitOpen) {
        #[cfg(feature = "tracing")]
        contained(|| tracing::rejection(open));
    }
}
