//! The return type of a guarded function, which the expansion never has to spell.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::judge::{CarriesRejection, Outcome};
use crate::rejection::CircuitOpen;

/// Stands for the type that a guarded function returns.
///
/// The expansion lets inference tie it to the function's real return type, so that aliases, elided lifetimes and
/// `impl Trait` cost nothing, and a mistake in the written type is reported once.
pub struct Returned<R: ?Sized>(NoResult<R>);

/// Stands for a return type that is no `Result`.
#[derive(Debug)]
pub struct NoResult<R: ?Sized>(PhantomData<fn() -> R>);

/// What is asked of a type that is no `Result` is not asked of it here: it is refused where it is judged, once.
impl<R> Deref for Returned<R> {
    type Target = NoResult<R>;

    fn deref(&self) -> &NoResult<R> {
        &self.0
    }
}

impl<R> NoResult<R> {
    /// Compiles, and never runs.
    #[must_use]
    #[expect(clippy::unused_self, reason = "the receiver is what the compiler chooses the method by")]
    pub fn reject(self, _: CircuitOpen) -> R {
        unreachable!("what returns no `Result` does not compile")
    }
}

impl<R: Outcome> Returned<R> {
    /// The rejection, as what the function returns.
    #[cold]
    #[must_use]
    pub fn reject(self, open: CircuitOpen) -> R
    where
        R::Error: CarriesRejection,
    {
        R::from_error(R::Error::carry(open))
    }
}

impl<R> Returned<R> {
    /// Stands for a type that is still to be inferred.
    #[inline]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "expansions name it, and nobody else does")]
    pub const fn new() -> Self {
        Self(NoResult(PhantomData))
    }

    /// Stands for the type of a value.
    #[inline]
    #[must_use]
    pub const fn of(_: &R) -> Self {
        Self(NoResult(PhantomData))
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

impl<R> Clone for NoResult<R> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for NoResult<R> {}

impl<R> fmt::Debug for Returned<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returned")
    }
}
