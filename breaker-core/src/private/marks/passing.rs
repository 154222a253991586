//! Does a value pass on a rejection?

use std::error::Error;
use std::rc::Rc;

use crate::{ProvesReachable, rejection};

/// Whether a value passes on a rejection, as its type says.
pub fn passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    error.passes_on_rejection()
}

/// Whether a rejection is among the sources of an error.
pub fn source_passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    rejection::in_chain(error.source())
}

/// A field whose type mentions no parameter: asks by its type, then by the chain of the error that it is, then of the
/// error that it holds.
#[derive(Debug)]
pub struct Field<'a, F: ?Sized>(pub(super) ErrorField<'a, F>);

/// A field whose type mentions a lifetime or a type parameter. It may not be `'static`, which the chain of an error has
/// to be, so it is asked by its type alone.
#[derive(Debug)]
pub struct OpenField<'a, F: ?Sized>(pub(super) &'a F, Plain);

impl<'a, F: ?Sized> Field<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(ErrorField(SharedHolder(Holder(field, Plain))))
    }
}

impl<'a, F: ?Sized> OpenField<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(field, Plain)
    }
}

/// Perhaps it is an error.
#[derive(Debug)]
pub struct ErrorField<'a, F: ?Sized>(pub(super) SharedHolder<'a, F>);

/// Perhaps it holds an error that may cross threads, as `anyhow::Error` and `Box<dyn Error + Send + Sync>` do.
#[derive(Debug)]
pub struct SharedHolder<'a, F: ?Sized>(pub(super) Holder<'a, F>);

/// Perhaps it holds an error, as `Box<dyn Error>` does.
#[derive(Debug)]
pub struct Holder<'a, F: ?Sized>(pub(super) &'a F, Plain);

/// It is no error.
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

impl<F: Error + 'static> ErrorField<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        rejection::in_chain(Some(self.0.0.0))
    }
}

impl<F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        rejection::in_chain(Some(self.0.0.as_ref()))
    }
}

impl<F: AsRef<dyn Error + 'static> + ?Sized> Holder<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        rejection::in_chain(Some(self.0.as_ref()))
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
    ['a, F: ?Sized] Holder<'a, F> => Plain, 1;
    ['a, F: ?Sized] OpenField<'a, F> => Plain, 1;
}

/// A value that knows whether it passes on a rejection, in what `std` wraps it in. Pointers that are errors themselves
/// are `ProvesReachable`.
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

impl<T: PassesOn> PassesOn for Vec<T> {
    fn passes_on(&self) -> bool {
        self.iter().any(T::passes_on)
    }
}
