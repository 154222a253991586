//! The return type of a guarded function, which the expansion never has to spell.

use std::fmt;
use std::marker::PhantomData;

/// Stands for the type that a guarded function returns.
///
/// The expansion lets inference tie it to the function's real return type, so that aliases, elided lifetimes and
/// `impl Trait` cost nothing, and a mistake in the written type is reported once.
pub struct Returned<R: ?Sized>(PhantomData<fn() -> R>);

impl<R> Returned<R> {
    /// Stands for a type that is still to be inferred.
    #[inline]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "expansions name it, and nobody else does")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// Stands for the type of a value.
    #[inline]
    #[must_use]
    pub const fn of(_: &R) -> Self {
        Self(PhantomData)
    }

    /// A value that is never made: `if false { return returned.never() }` ties the type.
    #[must_use]
    pub fn never(self) -> R {
        unreachable!("it stands behind `if false`")
    }
}

impl<F: Future> Returned<F> {
    /// Stands for what the future comes to.
    #[inline]
    #[must_use]
    pub const fn output(self) -> Returned<F::Output> {
        Returned::new()
    }
}

impl<R> Clone for Returned<R> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Returned<R> {}

impl<R> fmt::Debug for Returned<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returned")
    }
}
