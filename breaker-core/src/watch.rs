//! What adapters see of a circuit: the one seam between the two.
//!
//! Without the features of those adapters nothing of it is left in a build.

use crate::clock::Time;
use crate::event::Event;
use crate::machine::{Face, Transition, Verdict};
use crate::rejection::CircuitOpen;
use crate::report::Report;

#[cfg(feature = "metrics")]
use crate::adapters::metrics::Ledger;
#[cfg(feature = "tracing")]
use crate::adapters::tracing;

/// Whether events are worth making although nobody hooked on.
pub(crate) const WANTS_EVENTS: bool = cfg!(feature = "tracing");

/// Hears an event, outside every lock and in order for each circuit, before the hooks do.
#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "nobody listens"))]
pub(crate) fn hear(event: &Event) {
    #[cfg(feature = "tracing")]
    tracing::event(event);
}

/// Is told of everything that passes through one circuit.
#[derive(Debug)]
pub(crate) struct Watch {
    #[cfg(feature = "metrics")]
    pub(crate) ledger: Ledger,
}

#[cfg_attr(
    not(feature = "metrics"),
    expect(unused_variables, clippy::unused_self, reason = "nobody counts, so all of it is compiled away")
)]
impl Watch {
    #[inline]
    pub(crate) fn new(now: Time) -> Self {
        Self {
            #[cfg(feature = "metrics")]
            ledger: Ledger::new(now),
        }
    }

    /// A success that changed nothing: this is the path of every healthy call.
    #[inline]
    pub(crate) fn plain_success(&self) {
        #[cfg(feature = "metrics")]
        self.ledger.plain_success();
    }

    /// Any other result. Told under the circuit's lock.
    #[inline]
    pub(crate) fn result(&self, report: &Report, verdict: &Verdict) {
        #[cfg(feature = "metrics")]
        self.ledger.result(report, verdict);
    }

    /// What the circuit looks like from now on. Told under the circuit's lock, changed or not.
    #[inline]
    pub(crate) fn face(&self, face: Face, now: Time) {
        #[cfg(feature = "metrics")]
        self.ledger.face(face, now);
    }

    /// A change that is worth an event. Told under the circuit's lock.
    #[inline]
    pub(crate) fn transition(&self, transition: Transition) {
        #[cfg(feature = "metrics")]
        self.ledger.transition(transition);
    }

    /// A call that was not made. Told outside every lock.
    #[inline]
    pub(crate) fn rejection(&self, open: &CircuitOpen) {
        #[cfg(feature = "metrics")]
        self.ledger.rejection(open.reason());
        #[cfg(feature = "tracing")]
        tracing::rejection(open);
    }
}
