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

#[cfg(feature = "stream")]
use super::{Continues, StreamCall};
use crate::circuit::nesting::{self, PollOutcome};
use crate::circuit::{Admission, AdmittedBy, CallSite, CallState, Hold, Inner, Ticket};
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

/// One call. Dropping it does not settle it, so it must be run or put under a guard.
#[derive(Debug)]
#[must_use = "a call that is never settled keeps its probe's slot until the lease runs out"]
#[expect(clippy::struct_field_names, reason = "a call site is a term of its own")]
pub struct Call<H> {
    handle: H,
    call_site: &'static CallSite,
    ticket: Ticket,
    state: CallState,
}

/// Settles a call exactly once: with its result, or as a cancellation if it is dropped earlier.
#[derive(Debug)]
pub(crate) struct Guard<H: Hold>(Call<H>);

impl<H: Hold> Call<H> {
    /// Asks for admission now and creates an admitted call.
    #[inline]
    pub(crate) fn admitted(handle: H, call_site: &'static CallSite) -> Result<Self, CircuitOpen> {
        let Admission { ticket, state } = handle.circuit().inner().admit(call_site)?;
        Ok(Self { handle, call_site, ticket, state })
    }

    /// Creates a call that asks for admission later.
    #[inline]
    pub(crate) fn unadmitted(handle: H, call_site: &'static CallSite) -> Self {
        Self { handle, call_site, ticket: Ticket::NONE, state: CallState::UNADMITTED }
    }

    #[inline]
    fn inner(&self) -> &Inner {
        self.handle.circuit().inner()
    }

    /// Runs the body, or one poll of it, with this call on the stack where inner calls find it. A panic of the body
    /// settles the call as Failed.
    #[inline]
    pub(crate) fn within<R>(&mut self, body: impl FnOnce() -> R) -> (R, PollOutcome) {
        nesting::push(self.inner().identity(), self.ticket);
        let body_guard = BodyGuard(self);
        let result = body();
        (result, body_guard.stop())
    }

    /// Keeps what inner calls reported during a poll.
    fn absorb(&mut self, outcome: PollOutcome) {
        self.state.absorb(outcome);
        self.ticket = nesting::popped_ticket();
    }

    /// Settles the call with its result, and returns the result. `last` is the outcome of the poll that returned it.
    #[expect(clippy::inline_always, reason = "every guarded call ends here")]
    #[inline(always)]
    pub(crate) fn finish<R>(&mut self, judge: &impl Judge<R>, result: R, last: PollOutcome) -> R {
        if self.finish_plainly(judge, &result, last) {
            result
        } else {
            finish_judged(self.start_judging(), judge, result)
        }
    }

    /// Does the same for a call that is in memory in any case, such as that of a future.
    #[expect(clippy::inline_always, reason = "every guarded call of a future ends here")]
    #[inline(always)]
    pub(crate) fn finish_in_place<R>(&mut self, judge: &impl Judge<R>, result: R, last: PollOutcome) -> R {
        if self.finish_plainly(judge, &result, last) { result } else { self.finish_judged_in_place(judge, result) }
    }

    #[cold]
    #[inline(never)]
    fn finish_judged_in_place<R>(&mut self, judge: &impl Judge<R>, result: R) -> R {
        finish_judged(self.start_judging(), judge, result)
    }

    /// Settles the call if its result is a plain success without an effect, so that there is nothing to record or publish.
    #[expect(clippy::inline_always, reason = "every guarded call ends here")]
    #[inline(always)]
    fn finish_plainly<R>(&mut self, judge: &impl Judge<R>, result: &R, last: PollOutcome) -> bool {
        let is_plain = self.state.is_plain_after(last)
            && self.judge_plain(judge, result)
            && self.inner().record_plain_success(self.ticket);
        if is_plain {
            self.state = CallState::SETTLED;
        }
        is_plain
    }

    #[inline]
    fn start_judging(&mut self) -> JudgeGuard<'_> {
        let state = mem::replace(&mut self.state, CallState::SETTLED);
        JudgeGuard { inner: self.inner(), call_site: self.call_site, ticket: self.ticket, state }
    }

    /// Whether the result is a plain success. A panic of the judge, which may call a user's function, settles the call.
    #[inline]
    fn judge_plain<R>(&mut self, judge: &impl Judge<R>, result: &R) -> bool {
        let Call { handle, call_site, ticket, state } = self;
        let judge_guard = JudgeGuard {
            inner: handle.circuit().inner(),
            call_site,
            ticket: *ticket,
            state: mem::replace(state, CallState::SETTLED),
        };
        let is_plain = judge.is_plain_success(result);
        *state = judge_guard.state;
        mem::forget(judge_guard);
        is_plain
    }

    /// Passes an answered call to its result, if the call goes on there. Otherwise settles it.
    #[cfg(feature = "stream")]
    #[cold]
    pub(super) fn continue_in<R>(&mut self, judge: &(impl Judge<R> + Continues<R>), result: R, last: PollOutcome) -> R {
        if !self.state.is_in_progress() || !judge.has_rest(&result) {
            return self.finish(judge, result, last);
        }
        let state = mem::replace(&mut self.state, CallState::SETTLED);
        let handle = self.handle.circuit().clone();
        let mut guard = Guard(Call { handle, call_site: self.call_site, ticket: self.ticket, state });
        let answer = guard.judge_part(judge, &result);
        if answer.evidence == Evidence::Answered {
            return judge.continue_in(result, StreamCall::new(guard), answer);
        }
        guard.finish_with(answer);
        result
    }

    #[cfg(feature = "stream")]
    pub(super) fn call_site(&self) -> &'static CallSite {
        self.call_site
    }

    /// Settles the call with a judgement that is known already.
    #[inline]
    fn finish_with(&mut self, judgement: Judgement) {
        let state = mem::replace(&mut self.state, CallState::SETTLED);
        record_and_report(self.inner(), self.call_site, self.ticket, state, judgement);
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
        if call.state == CallState::UNADMITTED {
            match call.inner().admit(call.call_site) {
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

    /// Whether the call was admitted, even if it is settled by now.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(&self) -> bool {
        self.0.state.was_admitted()
    }

    /// Whether a part of the answer is a plain success. If the judge panics, the call is settled as Failed.
    #[cfg(feature = "stream")]
    pub(super) fn is_plain_success<R>(&mut self, judge: &impl Judge<R>, part: &R) -> bool {
        self.0.judge_plain(judge, part)
    }

    /// Judges a part of the answer. If the judge panics, the call is settled as Failed.
    #[cfg(feature = "stream")]
    pub(super) fn judge_part<R>(&mut self, judge: &impl Judge<R>, part: &R) -> Judgement {
        let Call { handle, call_site, ticket, state } = &mut self.0;
        let judge_guard = JudgeGuard { inner: handle.circuit().inner(), call_site, ticket: *ticket, state: *state };
        // If the judge panics, its guard settles the call.
        *state = CallState::SETTLED;
        let judgement = judge.judge(part, judge_guard.inner.config());
        *state = judge_guard.state;
        mem::forget(judge_guard);
        judgement
    }

    /// Whether inner calls have reported, and their reports do not prove an answer.
    #[cfg(feature = "stream")]
    pub(super) fn may_be_fallback(&self) -> bool {
        matches!(self.0.state.inner_reports().strongest(), Some(Evidence::Failed | Evidence::Unknown))
    }

    /// Why the call was admitted.
    #[cfg(feature = "stream")]
    pub(super) fn admitted_by(&self) -> AdmittedBy {
        self.0.state.admitted_by()
    }

    /// Records the success of a probe whose call goes on. From now on, the call uses no slot, and its results count in
    /// the closed phase that the probe led to.
    #[cfg(feature = "stream")]
    #[cold]
    pub(super) fn conclude_probe(&mut self, judgement: Judgement) {
        let call = &mut self.0;
        let state = mem::replace(&mut call.state, CallState::SETTLED);
        if record_and_report(call.inner(), call.call_site, call.ticket, state, judgement) {
            call.state = CallState::AFTER_PROBE;
        }
    }

    /// Settles a call that was dropped, unless it is settled already.
    #[cfg(feature = "stream")]
    pub(super) fn finish_dropped(&mut self, judgement: Judgement) {
        if self.0.state.is_in_progress() {
            self.leave_stack();
            self.0.finish_with(judgement);
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

    /// Settles the call with a judgement that is known already.
    pub(crate) fn finish_with(&mut self, judgement: Judgement) {
        self.0.finish_with(judgement);
    }

    /// Puts an unfinished call on the stack before its body is dropped, because the destructors of the body are a part
    /// of the call and may make inner calls. [`Guard::drop`] takes it off again.
    #[inline]
    pub(crate) fn before_drop(&mut self) {
        if self.0.state.is_in_progress() {
            self.start_dropping();
        }
    }

    #[cold]
    fn start_dropping(&mut self) {
        let call = &mut self.0;
        nesting::push(call.inner().identity(), call.ticket);
        call.state.start_dropping();
    }

    /// Takes a call whose body was dropped off the stack.
    fn leave_stack(&mut self) {
        if self.0.state.is_dropping() {
            let outcome = nesting::pop();
            if !outcome.is_plain() {
                self.0.absorb(outcome);
            }
        }
    }

    /// Settles a call that was dropped before it finished.
    #[cold]
    fn cancel(&mut self) {
        self.leave_stack();
        let call = &mut self.0;
        let state = call.state;
        call.finish_with(call.inner().judgement_of_drop(|now| state.started(now)));
    }
}

impl<H: Hold> Drop for Guard<H> {
    #[inline]
    fn drop(&mut self) {
        if self.0.state.is_in_progress() {
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
            self.0.absorb(outcome);
        }
        mem::forget(self);
        outcome
    }
}

impl<H: Hold> Drop for BodyGuard<'_, H> {
    #[inline]
    fn drop(&mut self) {
        let state = mem::replace(&mut self.0.state, CallState::SETTLED);
        finish_panicked(self.0.inner(), self.0.call_site, self.0.ticket, state);
    }
}

// The functions for uncommon ends take the parts of a call by value instead of a reference to the call. A reference
// that leaves the function forces the compiler to keep the call in memory from its start, so every plain call would
// write its fields to the stack and read them back. By value, the fields of a plain call stay in registers.

#[cold]
fn finish_panicked(inner: &Inner, call_site: &'static CallSite, mut ticket: Ticket, mut state: CallState) {
    let outcome = nesting::pop();
    if !outcome.is_plain() {
        state.absorb(outcome);
        ticket = nesting::popped_ticket();
    }
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
#[cold]
fn finish_judged<R>(judge_guard: JudgeGuard<'_>, judge: &impl Judge<R>, result: R) -> R {
    let JudgeGuard { inner, call_site, ticket, state } = judge_guard;
    if state.is_in_progress() {
        let judgement = judge.judge(&result, inner.config());
        mem::forget(judge_guard);
        record_and_report(inner, call_site, ticket, state, judgement);
    } else {
        mem::forget(judge_guard);
    }
    result
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
#[cold]
fn record_and_report(
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
    let evidence = match (reported, judgement.evidence) {
        (_, Evidence::Failed) => Evidence::Failed,
        (Some(reported), _) => reported,
        (None, own) => own,
    };
    let has_number = ticket.has_number();
    let is_recorded = match state.admitted_by() {
        AdmittedBy::ClosedCircuit | AdmittedBy::EndedProbe => {
            reported.is_none() || (judgement.evidence == Evidence::Failed && (has_number || !already_recorded))
        }
        AdmittedBy::OwnProbe => !already_recorded,
        // The permit belongs to the outer call, which settles it. Only a failure is conclusive at once.
        AdmittedBy::OuterProbe => evidence == Evidence::Failed && !already_recorded,
    };
    if is_recorded {
        let judgement = if evidence == judgement.evidence { judgement } else { Judgement::of(evidence) };
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
