//! The check whether a value passes on a rejection.

use std::collections::VecDeque;
use std::error::Error;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::evidence::ProvesReachable;
use crate::evidence::error_chain::contains_rejection;

/// Returns whether a value passes on a rejection, by its type.
pub fn passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    error.passes_on_rejection()
}

/// Returns whether a rejection is among the sources of an error.
pub fn source_passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    contains_rejection(error.source())
}

/// A field whose type mentions no type parameter. It is asked by its type, then through the chain of the error that it is,
/// then through the error that it holds.
#[derive(Debug)]
pub struct Field<'a, F: ?Sized>(pub(super) ErrorField<'a, F>);

/// A field whose type mentions a lifetime or a type parameter. It is asked by its type alone, because the chain of an error
/// can be walked only where the error is `'static`.
#[derive(Debug)]
pub struct OpenField<'a, F: ?Sized>(pub(super) &'a F, ErrSide<'a, F>);

/// An error that a user's function judges. It is asked by its type, then through its sources, then through the error that it
/// holds. It may be of any type and need not be `'static`, because its sources are.
#[derive(Debug)]
pub struct Judged<'a, F: ?Sized>(JudgedWrapper<'a, F>);

/// Tries `io::Error` and the errors of `anyhow` and `eyre`, whose `source()` may skip the error that they wrap.
#[derive(Debug)]
pub struct JudgedWrapper<'a, F: ?Sized>(JudgedSources<'a, F>);

/// Tries any other error.
#[derive(Debug)]
pub struct JudgedSources<'a, F: ?Sized>(SharedHolder<'a, F>);

impl<'a, F: ?Sized> Judged<'a, F> {
    #[must_use]
    pub const fn ask(error: &'a F) -> Self {
        Self(JudgedWrapper(JudgedSources(SharedHolder(Holder(error, sides(error))))))
    }
}

impl<'a, F: ?Sized> Field<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(ErrorField(SharedHolder(Holder(field, sides(field)))))
    }
}

impl<'a, F: ?Sized> OpenField<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(field, sides(field))
    }
}

const fn sides<F: ?Sized>(field: &F) -> ErrSide<'_, F> {
    ErrSide(field, OkSide(field, Plain))
}

/// Tries an error.
#[derive(Debug)]
pub struct ErrorField<'a, F: ?Sized>(pub(super) SharedHolder<'a, F>);

/// Tries a holder of an error that is `Send + Sync`, such as `anyhow::Error` and `Box<dyn Error + Send + Sync>`.
#[derive(Debug)]
pub struct SharedHolder<'a, F: ?Sized>(pub(super) Holder<'a, F>);

/// Tries a holder of any error, such as `Box<dyn Error>`.
#[derive(Debug)]
pub struct Holder<'a, F: ?Sized>(pub(super) &'a F, ErrSide<'a, F>);

/// Tries the error of a `Result`.
#[derive(Debug)]
pub struct ErrSide<'a, F: ?Sized>(&'a F, OkSide<'a, F>);

/// Tries the value of a `Result`.
#[derive(Debug)]
pub struct OkSide<'a, F: ?Sized>(&'a F, Plain);

/// The answer for every other type: it passes on no rejection.
#[derive(Debug)]
pub struct Plain;

impl<F: PassesOn + ?Sized> Field<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.0.0.0.passes_on()
    }
}

impl<F: PassesOn + ?Sized> OpenField<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.passes_on()
    }
}

impl<F: PassesOn + ?Sized> Judged<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.0.0.0.0.passes_on()
    }
}

impl JudgedWrapper<'_, io::Error> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        contains_rejection(Some(self.0.0.0.0))
    }
}

#[cfg(feature = "anyhow")]
impl JudgedWrapper<'_, ::anyhow::Error> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        crate::judge::dynamic::with_contexts::anyhow::passes_on(self.0.0.0.0)
    }
}

#[cfg(feature = "eyre")]
impl JudgedWrapper<'_, ::eyre::Report> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        crate::judge::dynamic::with_contexts::eyre::passes_on(self.0.0.0.0)
    }
}

impl<F: Error + ?Sized> JudgedSources<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        contains_rejection(self.0.0.0.source())
    }
}

impl<F: Error + 'static> ErrorField<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        contains_rejection(Some(self.0.0.0))
    }
}

impl<F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        contains_rejection(Some(self.0.0.as_ref()))
    }
}

impl<F: AsRef<dyn Error + 'static> + ?Sized> Holder<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        contains_rejection(Some(self.0.as_ref()))
    }
}

impl<T, E: PassesOn> ErrSide<'_, Result<T, E>> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.as_ref().is_err_and(E::passes_on)
    }
}

impl<T: PassesOn, E> OkSide<'_, Result<T, E>> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.as_ref().is_ok_and(T::passes_on)
    }
}

impl Plain {
    #[must_use]
    pub const fn __breaker_passes_on(&self) -> bool {
        false
    }
}

otherwise! {
    ['a, F: ?Sized] Field<'a, F> => ErrorField<'a, F>, 0;
    ['a, F: ?Sized] ErrorField<'a, F> => SharedHolder<'a, F>, 0;
    ['a, F: ?Sized] SharedHolder<'a, F> => Holder<'a, F>, 0;
    ['a, F: ?Sized] Holder<'a, F> => ErrSide<'a, F>, 1;
    ['a, F: ?Sized] OpenField<'a, F> => ErrSide<'a, F>, 1;
    ['a, F: ?Sized] ErrSide<'a, F> => OkSide<'a, F>, 1;
    ['a, F: ?Sized] OkSide<'a, F> => Plain, 1;
    ['a, F: ?Sized] Judged<'a, F> => JudgedWrapper<'a, F>, 0;
    ['a, F: ?Sized] JudgedWrapper<'a, F> => JudgedSources<'a, F>, 0;
    ['a, F: ?Sized] JudgedSources<'a, F> => SharedHolder<'a, F>, 0;
}

/// A value, or a container of values from `std`, whose type defines whether it passes on a rejection. Pointers that are
/// errors themselves are covered by `ProvesReachable`.
pub trait PassesOn {
    fn passes_on(&self) -> bool;
}

impl<E: ProvesReachable + ?Sized> PassesOn for E {
    fn passes_on(&self) -> bool {
        self.passes_on_rejection()
    }
}

impl<T: PassesOn> PassesOn for Option<T> {
    fn passes_on(&self) -> bool {
        self.as_ref().is_some_and(T::passes_on)
    }
}

impl<T: PassesOn + ?Sized> PassesOn for Rc<T> {
    fn passes_on(&self) -> bool {
        (**self).passes_on()
    }
}

impl<T: PassesOn> PassesOn for [T] {
    fn passes_on(&self) -> bool {
        self.iter().any(T::passes_on)
    }
}

impl<T: PassesOn, const N: usize> PassesOn for [T; N] {
    fn passes_on(&self) -> bool {
        self.as_slice().passes_on()
    }
}

impl<T: PassesOn> PassesOn for Vec<T> {
    fn passes_on(&self) -> bool {
        self.as_slice().passes_on()
    }
}

impl<T: PassesOn> PassesOn for VecDeque<T> {
    fn passes_on(&self) -> bool {
        self.iter().any(T::passes_on)
    }
}

/// Where both sides implement the trait, a `Result` may also be inside another container.
impl<T: PassesOn, E: PassesOn> PassesOn for Result<T, E> {
    fn passes_on(&self) -> bool {
        match self {
            Ok(value) => value.passes_on(),
            Err(error) => error.passes_on(),
        }
    }
}

/// Errors of hidden type, which may also be inside another container.
macro_rules! hidden {
    ($($error:ty,)*) => {$(
        impl PassesOn for $error {
            fn passes_on(&self) -> bool {
                contains_rejection(Some(&**self))
            }
        }
    )*};
}

hidden! {
    Box<dyn Error>, Box<dyn Error + Send>, Box<dyn Error + Send + Sync>,
    Arc<dyn Error>, Arc<dyn Error + Send>, Arc<dyn Error + Send + Sync>,
}
