//! One guarded call, from its admission to its settlement.

use std::mem;

use crate::circuit::{AdmittedBy, Circuit, Inner};
use crate::clock::Time;
use crate::evidence::Evidence;
use crate::machine::Era;
use crate::nesting::{self, Heard};
use crate::rejection::CircuitOpen;
use crate::report::Report;
use crate::site::Site;

/// A circuit for the length of one call: borrowed where it outlives the call, owned elsewhere.
#[derive(Debug)]
pub(crate) enum Held<'c> {
    Borrowed(&'c Circuit),
    Owned(Circuit),
}

impl Held<'_> {
    #[inline]
    fn inner(&self) -> &Inner {
        match self {
            Self::Borrowed(circuit) => circuit.inner(),
            Self::Owned(circuit) => circuit.inner(),
        }
    }
}

/// One guarded call. It is settled exactly once: with a result, or as a cancellation when it is dropped before.
#[derive(Debug)]
pub struct Guard<'c> {
    circuit: Held<'c>,
    site: &'static Site,
    era: Era,
    started: Time,
    heard: Heard,
    phase: Phase,
    /// Whether the body is being dropped, on this thread's stack of running calls.
    dropping: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing was asked for, so there is nothing to give back.
    Unadmitted,
    Admitted(AdmittedBy),
    Settled,
}

impl<'c> Guard<'c> {
    #[inline]
    pub(crate) fn unadmitted(circuit: Held<'c>, site: &'static Site) -> Self {
        let (era, started, heard, phase) = (Era(0), Time::ORIGIN, Heard::NOTHING, Phase::Unadmitted);
        Self { circuit, site, era, started, heard, phase, dropping: false }
    }

    /// Asks the circuit for the right to call.
    #[inline]
    pub(crate) fn admit(&mut self) -> Result<(), CircuitOpen> {
        let inner = self.circuit.inner();
        let (era, by) = inner.admit(self.site)?;
        self.started = inner.call_started();
        self.era = era;
        self.phase = Phase::Admitted(by);
        Ok(())
    }

    #[inline]
    pub(crate) fn is_unadmitted(&self) -> bool {
        self.phase == Phase::Unadmitted
    }

    /// Runs the body, or a part of it, as a call that inner calls can find. If it panics, the call has failed.
    #[inline]
    pub(crate) fn within<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let mut running = Running::start(self);
        let result = body();
        running.panicked = false;
        result
    }

    /// The body is about to be dropped, perhaps before it finished: its destructors run as a part of the call.
    pub(crate) fn before_drop(&mut self) {
        if let Phase::Admitted(_) = self.phase {
            nesting::push(self.circuit.inner().identity(), self.era, self.heard);
            self.dropping = true;
        }
    }

    /// The call is over.
    #[inline]
    pub(crate) fn finish(&mut self, report: Report) {
        let phase = mem::replace(&mut self.phase, Phase::Settled);
        let inner = self.circuit.inner();
        match phase {
            Phase::Admitted(AdmittedBy::ClosedCircuit) if self.heard.is_nothing() => {
                if inner.settle(self.era, report, self.site) {
                    nesting::report(inner.identity(), report.evidence);
                }
            }
            Phase::Admitted(by) => self.finish_nested(by, report),
            Phase::Unadmitted | Phase::Settled => {}
        }
    }

    /// An inner call has reported for itself, or this one has to do with a probe.
    #[cold]
    fn finish_nested(&self, by: AdmittedBy, report: Report) {
        let heard = self.heard.strongest();
        // A failure that was handled is not washed away, and one that was passed on does not count twice.
        let counted = heard == Some(Evidence::Failed);
        let evidence = match (heard, report.evidence) {
            (_, Evidence::Failed) => Evidence::Failed,
            (Some(heard), _) => heard,
            (None, own) => own,
        };
        let settles = match by {
            AdmittedBy::ClosedCircuit => heard.is_none() || (evidence == Evidence::Failed && !counted),
            AdmittedBy::OwnProbe => !counted,
            // The permit is the outer call's, which settles it; only a failure is conclusive at once.
            AdmittedBy::OuterProbe => evidence == Evidence::Failed && !counted,
        };
        let inner = self.circuit.inner();
        if settles {
            let report = if evidence == report.evidence { report } else { Report::of(evidence) };
            if !inner.settle(self.era, report, self.site) {
                // What changed nothing here is no report to the calls around it either.
                return;
            }
        }
        nesting::report(inner.identity(), evidence);
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Phase::Admitted(_) = self.phase {
            if self.dropping {
                self.heard = nesting::pop();
            }
            let report = self.circuit.inner().report_of_drop(self.started);
            self.finish(report);
        }
    }
}

/// A body that runs right now.
struct Running<'g, 'c> {
    guard: &'g mut Guard<'c>,
    panicked: bool,
}

impl<'g, 'c> Running<'g, 'c> {
    #[inline]
    fn start(guard: &'g mut Guard<'c>) -> Self {
        nesting::push(guard.circuit.inner().identity(), guard.era, guard.heard);
        // Until the body has come back, it is taken for one that panics.
        Self { guard, panicked: true }
    }
}

impl Drop for Running<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        self.guard.heard = nesting::pop();
        if self.panicked {
            self.guard.finish(Report::PANICKED);
        }
    }
}
