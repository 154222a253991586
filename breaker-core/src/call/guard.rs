//! One guarded call, from its admission to its settlement.

use std::mem;

use crate::circuit::nesting::{self, Interlude};
use crate::circuit::{Admission, AdmittedBy, CallSite, CallState, Hold, Inner, Ticket};
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

/// One call. By itself it settles nothing: whoever has it runs it, or puts it under a guard.
#[derive(Debug)]
#[must_use = "a call that is never settled keeps its probe's slot until the lease runs out"]
pub struct Call<H> {
    held: H,
    site: &'static CallSite,
    ticket: Ticket,
    stage: CallState,
}

/// Settles a call exactly once: with its result, or as a cancellation when it is dropped before.
#[derive(Debug)]
pub(crate) struct Guard<H: Hold>(Call<H>);

impl<H: Hold> Call<H> {
    /// A call that is let in now, or rejected.
    #[inline]
    pub(crate) fn admitted(held: H, site: &'static CallSite) -> Result<Self, CircuitOpen> {
        let Admission { ticket, stage } = held.circuit().inner().admit(site)?;
        Ok(Self { held, site, ticket, stage })
    }

    /// A call that asks for admission later.
    #[inline]
    pub(crate) fn unadmitted(held: H, site: &'static CallSite) -> Self {
        Self { held, site, ticket: Ticket::NONE, stage: CallState::UNADMITTED }
    }

    #[inline]
    fn inner(&self) -> &Inner {
        self.held.circuit().inner()
    }

    /// Runs the body, or a part of it, as a call that inner calls can find. If it panics, the call has failed.
    #[inline]
    pub(crate) fn within<R>(&mut self, body: impl FnOnce() -> R) -> (R, Interlude) {
        nesting::push(self.inner().identity(), self.ticket);
        let running = Running(self);
        let result = body();
        (result, running.stop())
    }

    /// The call is over, and returned this after its last interlude.
    #[expect(clippy::inline_always, reason = "every guarded call ends here")]
    #[inline(always)]
    pub(crate) fn finish<R>(&mut self, judge: &impl Judge<R>, result: &R, last: Interlude) {
        if self.stage.is_common_after(last)
            && judge.is_plain_success(result)
            && self.inner().record_plain_success(self.ticket)
        {
            // It changes nothing, and there is nobody to tell.
            self.stage = CallState::SETTLED;
        } else {
            let stage = mem::replace(&mut self.stage, CallState::SETTLED);
            settle_judged(Judging { inner: self.inner(), site: self.site, ticket: self.ticket, stage }, judge, result);
        }
    }

    /// The call is over.
    #[inline]
    fn settle(&mut self, report: Judgement) {
        let stage = mem::replace(&mut self.stage, CallState::SETTLED);
        settle(self.inner(), self.site, self.ticket, stage, report);
    }
}

impl<H: Hold> Guard<H> {
    #[inline]
    pub(crate) fn new(call: Call<H>) -> Self {
        Self(call)
    }

    /// Asks the circuit for the right to call, unless that was done.
    ///
    /// # Panics
    ///
    /// If it was rejected before: somebody polls a future after its end.
    #[inline]
    pub(crate) fn admit_once(&mut self) -> Result<(), CircuitOpen> {
        let call = &mut self.0;
        if call.stage == CallState::UNADMITTED {
            match call.inner().admit(call.site) {
                Ok(admission) => Admission { ticket: call.ticket, stage: call.stage } = admission,
                Err(open) => {
                    call.stage = CallState::REJECTED;
                    return Err(open);
                }
            }
        } else {
            assert!(call.stage != CallState::REJECTED, "a guarded future is polled again, and its call was rejected");
        }
        Ok(())
    }

    /// Whether the call was let in, now or long ago.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(&self) -> bool {
        self.0.stage.was_admitted()
    }

    /// The call goes on after this result if that is a plain success; any other decides it.
    #[cfg(feature = "stream")]
    pub(crate) fn go_on_or_finish<R>(&mut self, judge: &impl Judge<R>, result: &R) {
        if judge.is_plain_success(result) {
            return;
        }
        let Call { held, site, ticket, stage } = &mut self.0;
        let judging = Judging { inner: held.circuit().inner(), site, ticket: *ticket, stage: *stage };
        // Should the judgement panic, it settles the call.
        *stage = CallState::SETTLED;
        let report = judge.judge(result, judging.inner.config());
        *stage = judging.stage;
        mem::forget(judging);
        if !report.is_plain_success() {
            self.settle(report);
        }
    }

    /// Whether the call is settled.
    #[cfg(feature = "stream")]
    pub(crate) fn is_over(&self) -> bool {
        self.0.stage == CallState::SETTLED
    }

    #[inline]
    pub(crate) fn call(&mut self) -> &mut Call<H> {
        &mut self.0
    }

    pub(crate) fn settle(&mut self, report: Judgement) {
        self.0.settle(report);
    }

    /// The body is about to be dropped, perhaps before it finished: its destructors run as a part of the call.
    #[inline]
    pub(crate) fn before_drop(&mut self) {
        if self.0.stage.is_under_way() {
            self.start_dropping();
        }
    }

    #[cold]
    fn start_dropping(&mut self) {
        let call = &mut self.0;
        nesting::push(call.inner().identity(), call.ticket);
        call.stage.starts_dropping();
    }

    /// The call is given up before it finished.
    #[cold]
    fn cancel(&mut self) {
        let call = &mut self.0;
        if call.stage.is_dropping() {
            call.stage.hears(nesting::pop());
        }
        let stage = call.stage;
        call.settle(call.inner().report_of_drop(|now| stage.started(now)));
    }
}

impl<H: Hold> Drop for Guard<H> {
    #[inline]
    fn drop(&mut self) {
        if self.0.stage.is_under_way() {
            self.cancel();
        }
    }
}

/// A body that runs right now. Dropped by a panic alone.
struct Running<'c, H: Hold>(&'c mut Call<H>);

impl<H: Hold> Running<'_, H> {
    #[inline]
    fn stop(self) -> Interlude {
        let interlude = nesting::pop();
        if !interlude.is_uneventful() {
            self.0.stage.hears(interlude);
        }
        mem::forget(self);
        interlude
    }
}

impl<H: Hold> Drop for Running<'_, H> {
    #[inline]
    fn drop(&mut self) {
        let stage = mem::replace(&mut self.0.stage, CallState::SETTLED);
        settle_panicked(self.0.inner(), self.0.site, self.0.ticket, stage);
    }
}

// The uncommon ends of a call take what they need by value. Were they given the call, it would have to be in memory from
// its start, and every plain call would write and read its fields there.

#[cold]
fn settle_panicked(inner: &Inner, site: &'static CallSite, ticket: Ticket, mut stage: CallState) {
    stage.hears(nesting::pop());
    settle(inner, site, ticket, stage, Judgement::PANICKED);
}

/// A judgement that is being made, perhaps by a function of the user's. Dropped by its panic alone.
struct Judging<'c> {
    inner: &'c Inner,
    site: &'static CallSite,
    ticket: Ticket,
    stage: CallState,
}

impl Drop for Judging<'_> {
    fn drop(&mut self) {
        settle(self.inner, self.site, self.ticket, self.stage, Judgement::PANICKED);
    }
}

/// The call is over, and its result has to be looked at.
#[cold]
fn settle_judged<R>(judging: Judging<'_>, judge: &impl Judge<R>, result: &R) {
    let Judging { inner, site, ticket, stage } = judging;
    if stage.is_under_way() {
        let report = judge.judge(result, inner.config());
        mem::forget(judging);
        settle(inner, site, ticket, stage, report);
    } else {
        mem::forget(judging);
    }
}

/// The call is over, and this changes the circuit or is news to an outer call.
#[cold]
fn settle(inner: &Inner, site: &'static CallSite, ticket: Ticket, stage: CallState, report: Judgement) {
    if !stage.is_under_way() {
        // It was settled before: somebody polls a future after its end.
        return;
    }
    let heard = stage.heard().strongest();
    // A failure that was handled is not washed away, and one that was passed on does not count twice.
    let counted = heard == Some(Evidence::Failed);
    let evidence = match (heard, report.evidence) {
        (_, Evidence::Failed) => Evidence::Failed,
        (Some(heard), _) => heard,
        (None, own) => own,
    };
    let settles = match stage.admitted_by() {
        AdmittedBy::ClosedCircuit => heard.is_none() || (evidence == Evidence::Failed && !counted),
        AdmittedBy::OwnProbe => !counted,
        // The permit is the outer call's, which settles it; only a failure is conclusive at once.
        AdmittedBy::OuterProbe => evidence == Evidence::Failed && !counted,
    };
    if settles {
        let report = if evidence == report.evidence { report } else { Judgement::of(evidence) };
        if !inner.record(ticket, report, site) {
            // What changed nothing here is no report to the calls around it either.
            return;
        }
    }
    nesting::report(inner.identity(), evidence);
}
