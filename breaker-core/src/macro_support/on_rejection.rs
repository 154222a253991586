//! The return value of a rejected call, from the argument `fallback`.

use super::Returned;
use crate::judge::OnRejection;
use crate::rejection::CircuitOpen;

/// Returns the value of a user's fallback.
#[derive(Clone, Copy, Debug)]
pub struct ByFallback<F>(Option<F>);

/// Wraps `fallback`, for functions whose calls are rejected at the first poll.
#[inline]
pub fn by_fallback<R, F: FnOnce(CircuitOpen) -> R>(_: Returned<R>, fallback: F) -> ByFallback<F> {
    ByFallback(Some(fallback))
}

impl<R, F: FnOnce(CircuitOpen) -> R> OnRejection<R> for ByFallback<F> {
    fn of_a_call(&mut self, open: CircuitOpen) -> R {
        let fallback = self.0.take().expect("a call is rejected once");
        fallback(open)
    }
}

/// The placeholder where the fallback is inlined in the function. It is never used.
#[derive(Clone, Copy, Debug)]
pub struct InlinedFallback;

impl<R> OnRejection<R> for InlinedFallback {
    fn of_a_call(&mut self, _: CircuitOpen) -> R {
        unreachable!("the fallback is inlined")
    }
}
