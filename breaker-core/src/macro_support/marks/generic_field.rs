//! A field whose type mentions a type parameter that is `'static`.
//!
//! The bounds in the generic code show little of the type, so that method resolution finds no special answer. The value
//! itself shows whether it is one of the known errors.

use std::any::{Any, type_name};
use std::error::Error;

use super::FieldFault;
use super::passes_rejection::PassesOn;
use crate::evidence::error_chain::{FoundRejection, Root, rejection_in};
use crate::evidence::{Fault, ProvesReachable};
use crate::transport::{fault_of_hidden, fault_of_inner, fault_of_inner_error};

/// Tries a type that has an answer of its own.
#[derive(Debug)]
pub struct StaticField<'a, F>(StaticError<'a, F>);

/// Tries an error.
#[derive(Debug)]
pub struct StaticError<'a, F>(AnyValue<'a, F>);

/// Searches the known types for that of the value.
#[derive(Debug)]
pub struct AnyValue<'a, F>(&'a F);

impl<'a, F> StaticField<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(StaticError(AnyValue(field)))
    }
}

impl<'a, F: PassesOn> StaticField<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        self.0.0.0.rejection_inside()
    }
}

impl<F: ProvesReachable> StaticField<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_inner(self.0.0.0)
    }
}

impl<'a, F: Error + 'static> StaticError<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::Error(self.0.0))
    }

    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_inner_error(self.0.0)
    }
}

impl<'a, F: Any> AnyValue<'a, F> {
    #[must_use]
    pub fn __breaker_rejection(&self) -> FoundRejection<'a> {
        rejection_in(Root::of_any(self.0)?)
    }

    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        Root::of_any(self.0).and_then(fault_of_hidden).or(Some(Fault::Named(type_name::<F>())))
    }
}

otherwise! {
    ['a, F] StaticField<'a, F> => StaticError<'a, F>, 0;
    ['a, F] StaticError<'a, F> => AnyValue<'a, F>, 0;
}
