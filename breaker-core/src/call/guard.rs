//! One guarded call, from its admission until it is settled.
//!
//! | how a call ends | settled by | judgement |
//! |---|---|---|
//! | a plain success that has no effect, without reports of inner calls | `Call::finish`, without a lock | Answered |
//! | any other result | `Call::finish`, by `finish_judged` | by the judge |
//! | a stream | `StreamCall` | see there |
//! | the first good item of a probe's stream, whose call goes on | `Guard::conclude_probe` | by the judge |
//! | a panic of the body | `BodyGuard::drop` | Failed |
//! | a panic of the judge | `JudgeGuard::drop` | Failed |
//! | the unfinished future or stream is dropped | `Guard::drop` | Unknown, or Failed after `dropped_after` |
//! | the permit is settled | `Permit::settle` | by the caller |
//! | the permit is dropped | `Guard::drop` | as for a future |
//! | the permit or the future is leaked | not settled; the lease releases a probe's slot | none |
//! | the call is rejected, or its future is never polled | not settled, because it took nothing | none |
//!
//! Each function replaces the state of the call with [`CallState::SETTLED`] before it settles the call, so a call is
//! settled once even if a guard is dropped afterwards.

use std::mem;
use std::task::Poll;

#[cfg(feature = "stream")]
use super::{Continues, StreamCall};
#[cfg(feature = "stream")]
use crate::circuit::CircuitAt;
use crate::circuit::{AdmittedBy, CallSite, CallState, Hold, Inner, Progress, Ticket, nesting};
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

/// One call. Dropping it does not settle it, so it must be run or put under a guard.
#[derive(Debug)]
#[must_use = "a call that is never settled keeps its probe's slot until the lease runs out"]
pub struct Call<H> {
    handle: H,
    progress: Progress,
}

/// Settles a call exactly once: with its result, or as a cancellation if it is dropped earlier.
#[derive(Debug)]
pub(crate) struct Guard<H: Hold>(Call<H>);

impl<H: Hold> Call<H> {
    /// Asks for admission now and creates an admitted call.
    #[inline]
    pub(crate) fn admitted(handle: H) -> Result<Self, CircuitOpen> {
        let progress = handle.circuit().inner().admit(handle.call_site())?;
        Ok(Self { handle, progress })
    }

    /// Creates a call that asks for admission later.
    #[inline]
    pub(crate) fn unadmitted(handle: H) -> Self {
        Self { handle, progress: Progress::UNADMITTED }
    }

    #[inline]
    fn inner(&self) -> &Inner {
        self.handle.circuit().inner()
    }

    /// Runs the body, or one poll of it, with this call on the stack where inner calls find it. A panic of the body
    /// settles the call as Failed.
    #[cfg(any(feature = "stream", feature = "tokio"))]
    #[inline]
    pub(crate) fn within<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let Self { handle, progress } = self;
        nesting::push(handle.circuit().inner().identity(), progress.ticket());
        let body_guard = BodyGuard { handle, progress: &mut *progress };
        let result = body();
        mem::forget(body_guard);
        progress.leave_stack();
        result
    }

    /// Runs one poll of the body, or the whole of it, and settles the call with its result.
    #[expect(clippy::inline_always, reason = "every guarded call ends here")]
    #[inline(always)]
    pub(crate) fn poll<R>(&mut self, judge: &impl Judge<R>, body: impl FnOnce() -> Poll<R>) -> Poll<R> {
        let Self { handle, progress } = self;
        let inner = handle.circuit().inner();
        nesting::push(inner.identity(), progress.ticket());
        let body_guard = BodyGuard { handle, progress: &mut *progress };
        let polled = body();
        mem::forget(body_guard);
        let is_plain = nesting::pop_if(inner.idle_ticket());
        if !is_plain {
            progress.leave_stack();
        }
        let Poll::Ready(result) = polled else { return Poll::Pending };
        if is_plain && judge_plain(handle, inner, progress, judge, &result) {
            // The success has no effect, so there is nothing to record or publish.
            inner.count_plain_success();
            progress.settle();
            return Poll::Ready(result);
        }
        Poll::Ready(finish(handle, inner, progress, judge, result))
    }

    /// Settles the call with its result, which it returns.
    #[cfg(feature = "stream")]
    pub(crate) fn finish<R>(&mut self, judge: &impl Judge<R>, result: R) -> R {
        let Self { handle, progress } = self;
        finish(handle, handle.circuit().inner(), progress, judge, result)
    }

    /// Passes an answered call to its result, if the call goes on there. Otherwise settles it.
    #[cfg(feature = "stream")]
    #[cold]
    pub(super) fn continue_in<R>(&mut self, judge: &(impl Judge<R> + Continues<R>), result: R) -> R {
        if !self.progress.is_in_progress() || !judge.has_rest(&result) {
            return self.finish(judge, result);
        }
        let handle = CircuitAt { circuit: self.handle.circuit().clone(), call_site: self.call_site() };
        let mut guard = Guard(Call { handle, progress: self.progress });
        self.progress.settle();
        let answer = guard.judge_part(judge, &result);
        if answer.evidence() == Evidence::Answered {
            return judge.continue_in(result, StreamCall::new(guard), answer);
        }
        guard.finish_with(answer);
        result
    }

    #[inline]
    pub(super) fn call_site(&self) -> &'static CallSite {
        self.handle.call_site()
    }

    /// Settles the call with a judgement that is known already.
    #[inline]
    fn finish_with(&mut self, judgement: Judgement) {
        let (ticket, state) = self.progress.take();
        record_and_report(self.inner(), self.call_site(), ticket, state, judgement);
    }
}

impl<H: Hold> Guard<H> {
    #[inline]
    pub(crate) fn new(call: Call<H>) -> Self {
        Self(call)
    }

    /// Asks for admission at the first poll, and does nothing at later ones.
    ///
    /// # Panics
    ///
    /// If the call was rejected before: the future has ended and must not be polled again.
    #[inline]
    pub(crate) fn admit_once(&mut self) -> Result<(), CircuitOpen> {
        let call = &mut self.0;
        if call.progress.is_unadmitted() {
            match call.inner().admit(call.call_site()) {
                Ok(progress) => call.progress = progress,
                Err(open) => {
                    call.progress = Progress::REJECTED;
                    return Err(open);
                }
            }
        } else {
            assert!(!call.progress.is_rejected(), "a guarded future is polled again, and its call was rejected");
        }
        Ok(())
    }

    /// Whether the call was admitted, even if it is settled by now.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(&self) -> bool {
        self.0.progress.state().was_admitted()
    }

    /// Whether a part of the answer is a plain success. If the judge panics, the call is settled as Failed.
    #[cfg(feature = "stream")]
    pub(super) fn is_plain_success<R>(&mut self, judge: &impl Judge<R>, part: &R) -> bool {
        {
            let call = &mut self.0;
            judge_plain(&call.handle, call.handle.circuit().inner(), &mut call.progress, judge, part)
        }
    }

    /// Judges a part of the answer. If the judge panics, the call is settled as Failed.
    #[cfg(feature = "stream")]
    pub(super) fn judge_part<R>(&mut self, judge: &impl Judge<R>, part: &R) -> Judgement {
        let call = &mut self.0;
        let progress = call.progress;
        // If the judge panics, its guard settles the call.
        let (ticket, state) = call.progress.take();
        let judge_guard = JudgeGuard { inner: call.inner(), call_site: call.call_site(), ticket, state };
        let judgement = judge.judge(part, judge_guard.inner.config());
        mem::forget(judge_guard);
        call.progress = progress;
        judgement
    }

    /// Whether inner calls have reported, and their reports do not prove an answer.
    #[cfg(feature = "stream")]
    pub(super) fn may_be_fallback(&self) -> bool {
        matches!(self.0.progress.state().inner_reports().strongest(), Some(Evidence::Failed | Evidence::Unknown))
    }

    /// Why the call was admitted.
    #[cfg(feature = "stream")]
    pub(super) fn admitted_by(&self) -> AdmittedBy {
        self.0.progress.state().admitted_by()
    }

    /// Records the success of a probe whose call goes on. From now on, the call uses no slot, and its results count in
    /// the closed phase that the probe led to.
    #[cfg(feature = "stream")]
    #[cold]
    pub(super) fn conclude_probe(&mut self, judgement: Judgement) {
        let call = &mut self.0;
        let (ticket, state) = call.progress.take();
        if record_and_report(call.inner(), call.call_site(), ticket, state, judgement) {
            call.progress = Progress::new(ticket, CallState::AFTER_PROBE);
        }
    }

    /// Settles a call that was dropped, unless it is settled already.
    #[cfg(feature = "stream")]
    pub(super) fn finish_dropped(&mut self, judgement: Judgement) {
        if self.0.progress.is_in_progress() {
            self.leave_stack();
            self.0.finish_with(judgement);
        }
    }

    /// Whether the call is settled.
    #[cfg(feature = "stream")]
    pub(crate) fn is_over(&self) -> bool {
        self.0.progress.is_settled()
    }

    #[inline]
    pub(crate) fn call(&mut self) -> &mut Call<H> {
        &mut self.0
    }

    /// Settles the call with a judgement that is known already.
    pub(crate) fn finish_with(&mut self, judgement: Judgement) {
        self.0.finish_with(judgement);
    }

    /// Puts an unfinished call on the stack before its body is dropped, because the destructors of the body are a part
    /// of the call and may make inner calls. [`Guard::drop`] takes it off again.
    #[inline]
    pub(crate) fn before_drop(&mut self) {
        if !self.0.progress.is_settled() {
            self.start_dropping();
        }
    }

    #[cold]
    fn start_dropping(&mut self) {
        let call = &mut self.0;
        if call.progress.is_in_progress() {
            nesting::push(call.inner().identity(), call.progress.ticket());
            call.progress.start_dropping();
        }
    }

    /// Takes a call whose body was dropped off the stack.
    fn leave_stack(&mut self) {
        if self.0.progress.state().is_dropping() {
            self.0.progress.leave_stack();
        }
    }

    /// Settles a call that was dropped before it finished.
    #[cold]
    fn cancel(&mut self) {
        if !self.0.progress.is_in_progress() {
            return;
        }
        self.leave_stack();
        let call = &mut self.0;
        let state = call.progress.state();
        call.finish_with(call.inner().judgement_of_drop(|now| state.started(now)));
    }
}

impl<H: Hold> Drop for Guard<H> {
    #[inline]
    fn drop(&mut self) {
        if !self.0.progress.is_settled() {
            self.cancel();
        }
    }
}

/// Settles a call that is not on the stack with its result, which it returns.
#[expect(clippy::inline_always, reason = "otherwise the compiler does not see that the call is settled")]
#[inline(always)]
fn finish<H: Hold, R>(handle: &H, inner: &Inner, progress: &mut Progress, judge: &impl Judge<R>, result: R) -> R {
    let before = *progress;
    progress.settle();
    // A plain result stays in registers, because only this copy has an address.
    let judged = result;
    finish_judged(inner, handle.call_site(), before, judge, &judged);
    // It is settled already. The compiler does not know this, and would prepare to drop an unfinished call.
    progress.settle();
    judged
}

/// Whether the result is a plain success. A panic of the judge, which may call a user's function, settles the call.
#[inline]
fn judge_plain<H: Hold, R>(
    handle: &H,
    inner: &Inner,
    progress: &mut Progress,
    judge: &impl Judge<R>,
    result: &R,
) -> bool {
    let before = *progress;
    let (ticket, state) = progress.take();
    let judge_guard = JudgeGuard { inner, call_site: handle.call_site(), ticket, state };
    let is_plain = judge.is_plain_success(result);
    mem::forget(judge_guard);
    *progress = before;
    is_plain
}

/// Guard of a running body. It is dropped only by a panic of the body.
struct BodyGuard<'c, H: Hold> {
    handle: &'c H,
    progress: &'c mut Progress,
}

impl<H: Hold> Drop for BodyGuard<'_, H> {
    #[inline]
    fn drop(&mut self) {
        let progress = *self.progress;
        self.progress.settle();
        finish_panicked(self.handle.circuit().inner(), self.handle.call_site(), progress);
    }
}

// The functions for uncommon ends take the parts of a call by value instead of a reference to the call. A reference
// that leaves the function forces the compiler to keep the call in memory from its start, so every plain call would
// write its fields to the stack and read them back. By value, the fields of a plain call stay in registers.

#[cold]
fn finish_panicked(inner: &Inner, call_site: &'static CallSite, mut progress: Progress) {
    progress.leave_stack();
    let (ticket, state) = progress.take();
    record_and_report(inner, call_site, ticket, state, Judgement::PANICKED);
}

/// Guard of a running judge, which may be a user's function. It is dropped only by a panic of the judge.
struct JudgeGuard<'c> {
    inner: &'c Inner,
    call_site: &'static CallSite,
    ticket: Ticket,
    state: CallState,
}

impl Drop for JudgeGuard<'_> {
    fn drop(&mut self) {
        record_and_report(self.inner, self.call_site, self.ticket, self.state, Judgement::PANICKED);
    }
}

/// Judges the result of a call and settles it.
#[inline(never)]
fn finish_judged<R>(
    inner: &Inner,
    call_site: &'static CallSite,
    mut progress: Progress,
    judge: &impl Judge<R>,
    result: &R,
) {
    let (ticket, state) = progress.take();
    let judge_guard = JudgeGuard { inner, call_site, ticket, state };
    if state.is_in_progress() {
        let judgement = judge.judge(result, inner.config());
        mem::forget(judge_guard);
        record_and_report(inner, call_site, ticket, state, judgement);
    } else {
        mem::forget(judge_guard);
    }
}

/// Records the end of a call whose result may have an effect on the circuit, and reports it to the outer calls.
///
/// The evidence is Failed if the call itself failed, otherwise the strongest report of its inner calls, and its own
/// evidence only without such a report. An outer success after an inner report proves nothing, because it may be a
/// fallback (law 5).
///
/// An outer call that has a number ends in the machine as well, which decides whether its failure counts and what becomes of
/// the answers of its inner calls.
///
/// Returns `false` if the result was ignored.
#[inline]
fn record_and_report(
    inner: &Inner,
    call_site: &'static CallSite,
    ticket: Ticket,
    state: CallState,
    judgement: Judgement,
) -> bool {
    // Without inner calls, and not under a probe.
    let is_plain = state == CallState::PLAIN && !ticket.has_number();
    (is_plain && inner.count(ticket, judgement, call_site))
        || record_and_report_fully(inner, call_site, ticket, state, judgement)
}

#[cold]
fn record_and_report_fully(
    inner: &Inner,
    call_site: &'static CallSite,
    ticket: Ticket,
    state: CallState,
    judgement: Judgement,
) -> bool {
    if !state.is_in_progress() {
        // The future was polled again after its end, so the call is settled already.
        return false;
    }
    let reported = state.inner_reports().strongest();
    // The inner call recorded its failure itself. The outer call neither takes it back where it handled the failure,
    // nor records it again where it passed the failure on.
    let already_recorded = reported == Some(Evidence::Failed);
    let evidence = match (reported, judgement.evidence()) {
        (_, Evidence::Failed) => Evidence::Failed,
        (Some(reported), _) => reported,
        (None, own) => own,
    };
    let has_number = ticket.has_number();
    let is_recorded = match state.admitted_by() {
        AdmittedBy::ClosedCircuit | AdmittedBy::EndedProbe => {
            reported.is_none() || (judgement.evidence() == Evidence::Failed && (has_number || !already_recorded))
        }
        AdmittedBy::OwnProbe => !already_recorded,
        // The permit belongs to the outer call, which settles it. Only a failure is conclusive at once.
        AdmittedBy::OuterProbe => evidence == Evidence::Failed && !already_recorded,
    };
    if is_recorded {
        let judgement = if evidence == judgement.evidence() { judgement } else { Judgement::of(evidence) };
        let ticket = match state.admitted_by() {
            AdmittedBy::EndedProbe => inner.ticket_after_probe(ticket),
            _ => ticket,
        };
        // A stale result is not reported to the outer calls either.
        if !inner.record(ticket, judgement, state.inner_reports(), call_site) {
            return false;
        }
    } else if has_number {
        inner.end_outer_call(ticket);
    }
    nesting::report(inner.identity(), evidence);
    true
}
