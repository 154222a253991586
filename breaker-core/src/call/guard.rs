//! One guarded call, from its admission until it is settled.
//!
//! | how a call ends | function | judgement |
//! |---|---|---|
//! | a plain success of a plain call | `Call::finish`, without a lock | none needed |
//! | any other result | `finish_judged` | by the judge |
//! | the body panics | `BodyGuard::drop` | Failed |
//! | the judge panics | `JudgeGuard::drop` | Failed |
//! | the future is dropped | `Guard::drop` | Unknown, or Failed after `dropped_after` |
//! | a permit is settled or dropped | `Permit::settle`, `Guard::drop` | by the caller, or Unknown |

use std::mem;

use crate::circuit::nesting::{self, PollOutcome};
use crate::circuit::{Admission, AdmittedBy, CallSite, CallState, Hold, Inner, Ticket};
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

/// One call. It settles nothing when it is dropped, so it must be run or put under a guard.
#[derive(Debug)]
#[must_use = "a call that is never settled keeps its probe's slot until the lease runs out"]
pub struct Call<H> {
    held: H,
    site: &'static CallSite,
    ticket: Ticket,
    state: CallState,
}

/// Settles a call exactly once: with its result, or as a cancellation if it is dropped earlier.
#[derive(Debug)]
pub(crate) struct Guard<H: Hold>(Call<H>);

impl<H: Hold> Call<H> {
    /// Admits a call now.
    #[inline]
    pub(crate) fn admitted(held: H, site: &'static CallSite) -> Result<Self, CircuitOpen> {
        let Admission { ticket, state } = held.circuit().inner().admit(site)?;
        Ok(Self { held, site, ticket, state })
    }

    /// Creates a call that asks for admission later.
    #[inline]
    pub(crate) fn unadmitted(held: H, site: &'static CallSite) -> Self {
        Self { held, site, ticket: Ticket::NONE, state: CallState::UNADMITTED }
    }

    #[inline]
    fn inner(&self) -> &Inner {
        self.held.circuit().inner()
    }

    /// Runs the body, or one poll of it, as a call that inner calls can find. A panic of the body settles the call as
    /// failed.
    #[inline]
    pub(crate) fn within<R>(&mut self, body: impl FnOnce() -> R) -> (R, PollOutcome) {
        nesting::push(self.inner().identity(), self.ticket);
        let running = BodyGuard(self);
        let result = body();
        (result, running.stop())
    }

    /// Settles the call with its result, after its last poll.
    #[expect(clippy::inline_always, reason = "every guarded call ends here")]
    #[inline(always)]
    pub(crate) fn finish<R>(&mut self, judge: &impl Judge<R>, result: &R, last: PollOutcome) {
        if self.state.is_plain_after(last)
            && judge.is_plain_success(result)
            && self.inner().record_plain_success(self.ticket)
        {
            // The success has no effect, so there is nothing to record or publish.
            self.state = CallState::SETTLED;
        } else {
            let state = mem::replace(&mut self.state, CallState::SETTLED);
            finish_judged(
                JudgeGuard { inner: self.inner(), site: self.site, ticket: self.ticket, state },
                judge,
                result,
            );
        }
    }

    /// Settles the call with this judgement.
    #[inline]
    fn settle(&mut self, judgement: Judgement) {
        let state = mem::replace(&mut self.state, CallState::SETTLED);
        settle(self.inner(), self.site, self.ticket, state, judgement);
    }
}

impl<H: Hold> Guard<H> {
    #[inline]
    pub(crate) fn new(call: Call<H>) -> Self {
        Self(call)
    }

    /// Asks for admission, unless that was done before.
    ///
    /// # Panics
    ///
    /// If the call was rejected before, because the future is polled again after its end.
    #[inline]
    pub(crate) fn admit_once(&mut self) -> Result<(), CircuitOpen> {
        let call = &mut self.0;
        if call.state == CallState::UNADMITTED {
            match call.inner().admit(call.site) {
                Ok(admission) => Admission { ticket: call.ticket, state: call.state } = admission,
                Err(open) => {
                    call.state = CallState::REJECTED;
                    return Err(open);
                }
            }
        } else {
            assert!(call.state != CallState::REJECTED, "a guarded future is polled again, and its call was rejected");
        }
        Ok(())
    }

    /// Whether the call was ever admitted.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(&self) -> bool {
        self.0.state.was_admitted()
    }

    /// Continues the call after a plain success; any other result settles it.
    #[cfg(feature = "stream")]
    pub(crate) fn continue_or_finish<R>(&mut self, judge: &impl Judge<R>, result: &R) {
        if judge.is_plain_success(result) {
            return;
        }
        let Call { held, site, ticket, state } = &mut self.0;
        let judging = JudgeGuard { inner: held.circuit().inner(), site, ticket: *ticket, state: *state };
        // If the judge panics, its guard settles the call.
        *state = CallState::SETTLED;
        let judgement = judge.judge(result, judging.inner.config());
        *state = judging.state;
        mem::forget(judging);
        if !judgement.is_plain_success() {
            self.settle(judgement);
        }
    }

    /// Whether the call is settled.
    #[cfg(feature = "stream")]
    pub(crate) fn is_over(&self) -> bool {
        self.0.state == CallState::SETTLED
    }

    #[inline]
    pub(crate) fn call(&mut self) -> &mut Call<H> {
        &mut self.0
    }

    pub(crate) fn settle(&mut self, judgement: Judgement) {
        self.0.settle(judgement);
    }

    /// Prepares the drop of the body, possibly before it finished: its destructors run as a part of the call.
    #[inline]
    pub(crate) fn before_drop(&mut self) {
        if self.0.state.is_unsettled() {
            self.start_dropping();
        }
    }

    #[cold]
    fn start_dropping(&mut self) {
        let call = &mut self.0;
        nesting::push(call.inner().identity(), call.ticket);
        call.state.start_dropping();
    }

    /// Settles a call that was dropped before it finished.
    #[cold]
    fn cancel(&mut self) {
        let call = &mut self.0;
        if call.state.is_dropping() {
            call.state.absorb(nesting::pop());
        }
        let state = call.state;
        call.settle(call.inner().judgement_of_drop(|now| state.started(now)));
    }
}

impl<H: Hold> Drop for Guard<H> {
    #[inline]
    fn drop(&mut self) {
        if self.0.state.is_unsettled() {
            self.cancel();
        }
    }
}

/// Guard of a running body. It is dropped only by a panic of the body.
struct BodyGuard<'c, H: Hold>(&'c mut Call<H>);

impl<H: Hold> BodyGuard<'_, H> {
    #[inline]
    fn stop(self) -> PollOutcome {
        let outcome = nesting::pop();
        if !outcome.is_plain() {
            self.0.state.absorb(outcome);
        }
        mem::forget(self);
        outcome
    }
}

impl<H: Hold> Drop for BodyGuard<'_, H> {
    #[inline]
    fn drop(&mut self) {
        let state = mem::replace(&mut self.0.state, CallState::SETTLED);
        finish_panicked(self.0.inner(), self.0.site, self.0.ticket, state);
    }
}

// The functions for uncommon ends take the parts of a call by value. With a reference to the call, the compiler would
// keep the call in memory from its start, and every plain call would write and read its fields there.

#[cold]
fn finish_panicked(inner: &Inner, site: &'static CallSite, ticket: Ticket, mut state: CallState) {
    state.absorb(nesting::pop());
    settle(inner, site, ticket, state, Judgement::PANICKED);
}

/// Guard of a running judge, which may be a user's function. It is dropped only by a panic of the judge.
struct JudgeGuard<'c> {
    inner: &'c Inner,
    site: &'static CallSite,
    ticket: Ticket,
    state: CallState,
}

impl Drop for JudgeGuard<'_> {
    fn drop(&mut self) {
        settle(self.inner, self.site, self.ticket, self.state, Judgement::PANICKED);
    }
}

/// Judges the result of a call and settles it.
#[cold]
fn finish_judged<R>(judging: JudgeGuard<'_>, judge: &impl Judge<R>, result: &R) {
    let JudgeGuard { inner, site, ticket, state } = judging;
    if state.is_unsettled() {
        let judgement = judge.judge(result, inner.config());
        mem::forget(judging);
        settle(inner, site, ticket, state, judgement);
    } else {
        mem::forget(judging);
    }
}

/// Settles a call whose result may have an effect on the circuit or on an outer call.
#[cold]
fn settle(inner: &Inner, site: &'static CallSite, ticket: Ticket, state: CallState, judgement: Judgement) {
    if !state.is_unsettled() {
        // The call was settled before, because the future is polled again after its end.
        return;
    }
    let reported = state.inner_reports().strongest();
    // An inner failure that was handled keeps counting, and one that was passed on does not count twice.
    let counted = reported == Some(Evidence::Failed);
    let evidence = match (reported, judgement.evidence) {
        (_, Evidence::Failed) => Evidence::Failed,
        (Some(reported), _) => reported,
        (None, own) => own,
    };
    let settles = match state.admitted_by() {
        AdmittedBy::ClosedCircuit => reported.is_none() || (evidence == Evidence::Failed && !counted),
        AdmittedBy::OwnProbe => !counted,
        // The permit belongs to the outer call, which settles it. Only a failure is conclusive at once.
        AdmittedBy::OuterProbe => evidence == Evidence::Failed && !counted,
    };
    if settles {
        let judgement = if evidence == judgement.evidence { judgement } else { Judgement::of(evidence) };
        if !inner.record(ticket, judgement, site) {
            // A stale result is not reported to the outer calls either.
            return;
        }
    }
    nesting::report(inner.identity(), evidence);
}
