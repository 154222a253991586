//! What a guarded function returns in place of a call that was not made.

use super::Returned;
use crate::judge::OnRejection;
use crate::rejection::CircuitOpen;

/// Lets a function of the user's say what is returned.
#[derive(Clone, Copy, Debug)]
pub struct ByFallback<F>(Option<F>);

/// The stand-in with `fallback`, where it is asked for at the first poll.
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

/// Where the fallback is inlined, nobody asks for another stand-in.
#[derive(Clone, Copy, Debug)]
pub struct NeverAsked;

impl<R> OnRejection<R> for NeverAsked {
    fn of_a_call(&mut self, _: CircuitOpen) -> R {
        unreachable!("the fallback is inlined")
    }
}
