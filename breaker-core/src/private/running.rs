//! How the body of a guarded function runs, once it was admitted.

use super::Returned;
use crate::call::{self, GuardedFuture};
use crate::circuit::Circuit;
use crate::guard::Call;
use crate::outcome::Judge;

/// Runs the body of a plain function.
#[inline]
pub fn run<R, J: Judge<R>>(_: Returned<R>, call: Call<&Circuit>, judge: J, body: impl FnOnce() -> R) -> R {
    call::run(call, body, &judge)
}

/// Runs the body of an asynchronous function.
#[inline]
pub fn run_async<F: Future, J: Judge<F::Output>>(
    call: Call<&Circuit>,
    judge: J,
    body: F,
) -> GuardedFuture<&Circuit, F, J> {
    GuardedFuture::new(call, body, judge)
}
