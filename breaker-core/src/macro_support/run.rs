//! How the body of a guarded function runs.

use std::pin::Pin;

use super::Returned;
use super::kinds::{AnswersAtOnce, Guards, HandsOut, Kind, Rejects};
use crate::call::{Call, GuardedFuture};
use crate::circuit::{CallSite, Circuit, Hold};
use crate::rejection::CircuitOpen;

/// Runs the body of an asynchronous function, whose call was admitted.
///
/// What is demanded of its result is demanded where this is awaited, and there alone, so that it is said once.
#[inline]
pub fn run_async<H: Hold, F: Future, J>(call: Call<H>, judge: J, body: F) -> GuardedFuture<H, F, J> {
    GuardedFuture::new(call, body, judge)
}

/// What is judged of this kind of function.
#[inline]
#[must_use]
pub fn result_of<K: Kind>(_: &K) -> Returned<K::Result> {
    Returned::new()
}

/// Runs the body of a plain function, or lets what it hands out be run.
#[inline]
pub fn run_as<K: Guards<J, I>, J, I>(
    _: &K,
    call: K::Call<'_>,
    judge: J,
    instead: I,
    body: impl FnOnce() -> K::Returned,
) -> K::Returned {
    K::guard(call, judge, instead, body)
}

/// Takes the place of a call that was rejected before its body ran.
#[cold]
#[must_use]
pub fn reject_as<K: Rejects>(_: &K, open: CircuitOpen) -> K::Returned {
    K::reject(open)
}

/// A fallback can be inlined only where the function answers at once.
#[inline]
pub fn answers_at_once<K: AnswersAtOnce>(_: &K) {}

/// Makes what a function hands out, which is guarded later.
#[inline]
pub fn make<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// Makes the box that a function hands out, which is guarded later.
#[inline]
pub fn make_as<R>(_: Returned<R>, body: impl FnOnce() -> R) -> R {
    body()
}

/// Boxes what a function hands out.
#[inline]
pub fn pin<F>(body: F) -> Pin<Box<F>> {
    Box::pin(body)
}

/// What is judged of what a function hands out.
#[inline]
#[must_use]
pub fn result_of_body<K: HandsOut>(_: &K) -> Returned<K::Result> {
    Returned::new()
}

/// What a function hands out, with its guard, before the judge is known: the function returns it, and so its return type
/// says what the body comes to, wherever the body alone leaves that open.
#[inline]
#[must_use]
pub fn guarded<K: HandsOut, J, I>(_: &K) -> Returned<K::Guarded<J, I>> {
    Returned::new()
}

/// Guards what a function hands out.
///
/// What is demanded of its result is demanded by the function's return type, and there alone, so that it is said once.
#[inline]
pub fn wrap<K: HandsOut, J, I>(
    _: &K,
    circuit: Circuit,
    site: &'static CallSite,
    judge: J,
    instead: I,
    body: K::Body,
) -> K::Guarded<J, I> {
    K::wrap(circuit, site, judge, instead, body)
}
