//! The rejection that a value passes on.

use std::collections::VecDeque;
use std::error::Error;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::evidence::ProvesReachable;
use crate::evidence::error_chain::{FoundRejection, Root, rejection_among_sources, rejection_as_source, rejection_in};

/// Returns whether a value passes on a rejection, by its type.
pub fn passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    error.rejection().is_some()
}

/// Returns the rejection among the sources of an error.
pub fn source_rejection<E: ProvesReachable + ?Sized>(error: &E) -> FoundRejection<'_> {
    rejection_as_source(error)
}

/// Returns the rejection among the sources of an error of generic type, whose fields cannot all be asked by their types.
pub fn chain_rejection<E: ProvesReachable + ?Sized>(error: &E) -> FoundRejection<'_> {
    rejection_among_sources(error)
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

/// Tries `io::Error`, whose `source()` may skip the error that it wraps.
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
pub struct ErrSide<'a, F: ?Sized>(pub(super) &'a F, OkSide<'a, F>);

/// Tries the value of a `Result`.
#[derive(Debug)]
pub struct OkSide<'a, F: ?Sized>(&'a F, Plain);

/// The answer for every other type: it passes on no rejection.
#[derive(Debug)]
pub struct Plain;

impl<'a, F: PassesOn + ?Sized> Field<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        self.0.0.0.0.rejection_inside()
    }
}

impl<'a, F: PassesOn + ?Sized> OpenField<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        self.0.rejection_inside()
    }
}

impl<'a, F: PassesOn + ?Sized> Judged<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        self.0.0.0.0.0.rejection_inside()
    }
}

impl<'a> JudgedWrapper<'a, io::Error> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::Error(self.0.0.0.0))
    }
}

impl<'a, F: Error + ?Sized> JudgedSources<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_among_sources(self.0.0.0)
    }
}

impl<'a, F: Error + 'static> ErrorField<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::Error(self.0.0.0))
    }
}

impl<'a, F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::Error(self.0.0.as_ref()))
    }
}

impl<'a, F: AsRef<dyn Error + 'static> + ?Sized> Holder<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::Error(self.0.as_ref()))
    }
}

impl<'a, E: Error + 'static> ErrSide<'a, Rc<E>> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::Error(&**self.0))
    }
}

impl<'a, T, E: PassesOn> ErrSide<'a, Result<T, E>> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        self.0.as_ref().err().and_then(E::rejection_inside)
    }
}

impl<'a, T: PassesOn, E> OkSide<'a, Result<T, E>> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        self.0.as_ref().ok().and_then(T::rejection_inside)
    }
}

impl Plain {
    #[must_use]
    pub const fn __breaker_rejection(&self) -> FoundRejection<'static> {
        None
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
    fn rejection_inside(&self) -> FoundRejection<'_>;
}

impl<E: ProvesReachable + ?Sized> PassesOn for E {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        self.rejection()
    }
}

impl<T: PassesOn> PassesOn for Option<T> {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        self.as_ref().and_then(T::rejection_inside)
    }
}

impl<T: PassesOn + ?Sized> PassesOn for Rc<T> {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        (**self).rejection_inside()
    }
}

impl<T: PassesOn> PassesOn for [T] {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        self.iter().find_map(T::rejection_inside)
    }
}

impl<T: PassesOn, const N: usize> PassesOn for [T; N] {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        self.as_slice().rejection_inside()
    }
}

impl<T: PassesOn> PassesOn for Vec<T> {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        self.as_slice().rejection_inside()
    }
}

impl<T: PassesOn> PassesOn for VecDeque<T> {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        self.iter().find_map(T::rejection_inside)
    }
}

/// Where both sides implement the trait, a `Result` may also be inside another container.
impl<T: PassesOn, E: PassesOn> PassesOn for Result<T, E> {
    fn rejection_inside(&self) -> FoundRejection<'_> {
        match self {
            Ok(value) => value.rejection_inside(),
            Err(error) => error.rejection_inside(),
        }
    }
}

/// Errors of hidden type, which may also be inside another container.
macro_rules! hidden {
    ($($error:ty,)*) => {$(
        impl PassesOn for $error {
            fn rejection_inside(&self) -> FoundRejection<'_> {
                rejection_in(Root::Error(&**self))
            }
        }
    )*};
}

hidden! {
    Box<dyn Error>, Box<dyn Error + Send>, Box<dyn Error + Send + Sync>,
    Arc<dyn Error>, Arc<dyn Error + Send>, Arc<dyn Error + Send + Sync>,
}

/// Errors whose contexts only they themselves can find.
macro_rules! with_contexts {
    ($(#[cfg($feature:meta)] $root:ident($error:ty);)*) => {$(
        #[cfg($feature)]
        impl PassesOn for $error {
            fn rejection_inside(&self) -> FoundRejection<'_> {
                rejection_in(Root::$root(self))
            }
        }

        #[cfg($feature)]
        impl PassesOn for Arc<$error> {
            fn rejection_inside(&self) -> FoundRejection<'_> {
                (**self).rejection_inside()
            }
        }
    )*};
}

with_contexts! {
    #[cfg(feature = "anyhow")] Anyhow(::anyhow::Error);
    #[cfg(feature = "eyre")] Eyre(::eyre::Report);
}
