//! Placeholders for the return type of a guarded function, so that an expansion never spells the type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::judge::{CarriesRejection, Outcome};
use crate::rejection::CircuitOpen;

/// Placeholder for the type that a guarded function returns.
///
/// Type inference connects it with the real return type. So aliases, elided lifetimes and `impl Trait` work as they are, and
/// a mistake in the written type is reported once.
pub struct Returned<R: ?Sized>(NotAResult<R>);

/// Placeholder for a return type that is not a `Result`.
#[derive(Debug)]
pub struct NotAResult<R: ?Sized>(PhantomData<fn() -> R>);

/// A call of `reject` on a type that is not a `Result` resolves to [`NotAResult::reject`], which compiles. The error is
/// reported once, where the type is judged.
impl<R> Deref for Returned<R> {
    type Target = NotAResult<R>;

    fn deref(&self) -> &NotAResult<R> {
        &self.0
    }
}

impl<R> NotAResult<R> {
    /// Compiles but never runs.
    #[must_use]
    #[expect(clippy::unused_self, reason = "the compiler chooses the method by its receiver")]
    pub fn reject(self, _: CircuitOpen) -> R {
        unreachable!("a function that does not return a `Result` does not compile")
    }
}

impl<R: Outcome> Returned<R> {
    /// Converts a rejection to the return type of the function.
    #[cold]
    #[must_use]
    pub fn reject(self, open: CircuitOpen) -> R
    where
        R::Error: CarriesRejection,
    {
        R::from_error(R::Error::carry(open))
    }
}

impl<R: Outcome> Returned<R> {
    /// The same for an error that is a type parameter of the function. The bound is the one that the function needs, because
    /// the compiler suggests to add it to the parameter.
    #[cold]
    #[must_use]
    pub fn reject_parameter(self, open: CircuitOpen) -> R
    where
        R::Error: From<CircuitOpen>,
    {
        R::from_error(open.into())
    }
}

impl<R> Returned<R> {
    /// Creates a placeholder for a type that is still to be inferred.
    #[inline]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only expansions call it")]
    pub const fn new() -> Self {
        Self(NotAResult(PhantomData))
    }

    /// Creates a placeholder for the type of a value.
    #[inline]
    #[must_use]
    pub const fn of(_: &R) -> Self {
        Self(NotAResult(PhantomData))
    }

    /// Has the type without ever making a value: `if false { return returned.never() }` connects the type.
    #[must_use]
    pub fn never(self) -> R {
        unreachable!("called behind `if false` only")
    }
}

impl<F: Future> Returned<F> {
    /// Creates a placeholder for the output of the future.
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

impl<R> Clone for NotAResult<R> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for NotAResult<R> {}

impl<R> fmt::Debug for Returned<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returned")
    }
}
