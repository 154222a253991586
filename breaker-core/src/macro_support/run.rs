//! Execution of the body of a guarded function.

use std::pin::Pin;

use super::Returned;
use super::kinds::{
    GuardBody, JudgesStream, Kind, RejectEarly, RejectParameterEarly, ReturnsDeferred, ReturnsImmediately,
    ReturnsStream,
};
use crate::call::{Call, GuardedFuture};
use crate::circuit::{CallSite, Circuit, Hold};
use crate::rejection::CircuitOpen;

/// Runs the body of an asynchronous function whose call was admitted.
///
/// The bounds on the result are checked only where the returned future is awaited, so that a violation is reported once.
#[inline]
pub fn run_async<H: Hold, F: Future, J>(call: Call<H>, judge: J, body: F) -> GuardedFuture<H, F, J> {
    GuardedFuture::new(call, body, judge)
}

/// Returns a placeholder for the result that is judged for this kind of function.
#[inline]
#[must_use]
pub fn result_of<K: Kind>(_: &K) -> Returned<K::Result> {
    Returned::new()
}

/// Runs the body of a plain function, or wraps the future or stream that it returns.
#[inline]
pub fn run_as<K: GuardBody<J, I>, J, I>(
    _: &K,
    call: K::Call<'_>,
    judge: J,
    instead: I,
    body: impl FnOnce() -> K::Returned,
) -> K::Returned {
    K::guard(call, judge, instead, body)
}

/// Returns the value for a call that was rejected before its body ran.
#[cold]
#[must_use]
pub fn reject_as<K: RejectEarly>(_: &K, open: CircuitOpen) -> K::Returned {
    K::reject(open)
}

/// The same for an error that is a type parameter of the function.
#[cold]
#[must_use]
pub fn reject_parameter_as<K: RejectParameterEarly>(_: &K, open: CircuitOpen) -> K::Returned {
    K::reject_parameter(open)
}

/// Compiles only where the function returns its result immediately, because only then a fallback can be inlined.
#[inline]
pub fn returns_immediately<K: ReturnsImmediately>(_: &K) {}

/// Compiles only for a function that returns a stream.
#[inline]
pub fn settles_kind<K: ReturnsStream<J>, J>(_: &K, _: &J) {}

/// Compiles only for a function that returns a stream in its value.
#[inline]
pub fn settles_value<J: JudgesStream>(_: &J) {}

/// Creates the future or stream that a function returns; it is guarded afterwards.
#[inline]
pub fn make<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// Creates the box that a function returns; it is guarded afterwards.
#[inline]
pub fn make_as<R>(_: Returned<R>, body: impl FnOnce() -> R) -> R {
    body()
}

/// Boxes and pins the future that a function returns.
#[inline]
pub fn pin<F>(body: F) -> Pin<Box<F>> {
    Box::pin(body)
}

/// Returns a placeholder for the result of the future or stream that a function returns.
#[inline]
#[must_use]
pub fn result_of_body<K: ReturnsDeferred>(_: &K) -> Returned<K::Result> {
    Returned::new()
}

/// Returns a placeholder for the guarded future or stream before its judge is known. The function returns it, so the
/// declared return type determines the output of the body where the body alone leaves it open.
#[inline]
#[must_use]
pub fn guarded<K: ReturnsDeferred, J, I>(_: &K) -> Returned<K::Guarded<J, I>> {
    Returned::new()
}

/// Guards the future or stream that a function returns.
///
/// The bounds on the result are checked only at the function's return type, so that a violation is reported once.
#[inline]
pub fn wrap<K: ReturnsDeferred, J, I>(
    _: &K,
    circuit: Circuit,
    call_site: &'static CallSite,
    judge: J,
    instead: I,
    body: K::Body,
) -> K::Guarded<J, I> {
    K::wrap(circuit, call_site, judge, instead, body)
}
