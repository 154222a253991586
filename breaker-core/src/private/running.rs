//! How the body of a guarded function runs, once it was admitted.

use super::Returned;
use crate::call::{self, GuardedFuture};
use crate::guard::Guard;
use crate::outcome::Judge;

/// Runs the body of a plain function.
#[inline]
pub fn run<R, J: Judge<R>>(_: Returned<R>, guard: Guard<'_>, judge: J, body: impl FnOnce() -> R) -> R {
    call::run(guard, body, &judge)
}

/// Runs the body of an asynchronous function.
#[inline]
pub fn run_async<F: Future, J: Judge<F::Output>>(guard: Guard<'_>, judge: J, body: F) -> GuardedFuture<'_, F, J> {
    GuardedFuture::new(guard, body, judge)
}
