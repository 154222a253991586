//! What a circuit reports: events to hooks and `tracing`, counts to `metrics`.
//!
//! Without the features `metrics` and `tracing`, the calls in here compile to nothing.

#[cfg(feature = "metrics")]
mod circuit_metrics;
#[cfg(feature = "metrics")]
mod counts;
mod hooks;
#[cfg(feature = "tracing")]
mod tracing;

use crate::clock::Time;
use crate::evidence::Judgement;
use crate::machine::{Published, Settlement, Transition};
use crate::rejection::CircuitOpen;

#[cfg(feature = "metrics")]
pub(crate) use circuit_metrics::{CircuitMetrics, Sample};
#[cfg(feature = "metrics")]
pub(crate) use counts::{Counts, REASONS, REJECTIONS, Retired, STATES};
pub(crate) use hooks::{Hook, Hooks, contained};

/// Is told of everything that passes through one circuit.
#[derive(Debug)]
pub(crate) struct Telemetry {
    #[cfg(feature = "metrics")]
    pub(crate) metrics: CircuitMetrics,
}

#[cfg_attr(
    not(feature = "metrics"),
    expect(unused_variables, clippy::unused_self, reason = "nobody counts, so all of it is compiled away")
)]
impl Telemetry {
    #[inline]
    pub(crate) fn new(now: Time) -> Self {
        Self {
            #[cfg(feature = "metrics")]
            metrics: CircuitMetrics::new(now),
        }
    }

    /// A success that changed nothing: this is the path of every healthy call.
    #[inline]
    pub(crate) fn plain_success(&self) {
        #[cfg(feature = "metrics")]
        self.metrics.plain_success();
    }

    /// Any other result. Told under the circuit's lock.
    #[inline]
    pub(crate) fn result(&self, report: &Judgement, verdict: &Settlement) {
        #[cfg(feature = "metrics")]
        self.metrics.result(report, verdict);
    }

    /// What the circuit looks like from now on. Told under the circuit's lock, changed or not.
    #[inline]
    pub(crate) fn published(&self, published: Published, now: Time) {
        #[cfg(feature = "metrics")]
        self.metrics.published(published, now);
    }

    /// A change that is worth an event. Told under the circuit's lock.
    #[inline]
    pub(crate) fn transition(&self, transition: Transition) {
        #[cfg(feature = "metrics")]
        self.metrics.transition(transition);
    }

    /// A call that was not made. Told outside every lock.
    #[inline]
    pub(crate) fn rejection(&self, open: &CircuitOpen) {
        #[cfg(feature = "metrics")]
        self.metrics.rejection(open.reason());
        #[cfg(feature = "tracing")]
        tracing::rejection(open);
    }
}
