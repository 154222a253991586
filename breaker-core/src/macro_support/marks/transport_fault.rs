//! The transport fault of a field.
//!
//! `#[error(transparent)]` makes wrappers whose `source()` skips the wrapped error. Asking the field itself reaches it.

use std::error::Error;

use super::passes_rejection::{ErrorField, Field, Holder, OpenField, Plain, SharedHolder};
use super::status::RunTimeStatus;
use crate::evidence::Fault;
use crate::evidence::ProvesReachable;
use crate::transport::classify;

/// The transport fault of a field, if there is one.
pub type FieldFault = Option<Fault>;

/// A `#[reachable(status)]` field.
#[derive(Debug)]
pub struct StatusField<'a, S: ?Sized>(&'a S, Plain);

impl<'a, S: ?Sized> StatusField<'a, S> {
    #[must_use]
    pub const fn ask(field: &'a S) -> Self {
        Self(field, Plain)
    }
}

impl<S: RunTimeStatus + ?Sized> StatusField<'_, S> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        self.0.code().map(Fault::Status)
    }
}

impl<F: ProvesReachable + ?Sized> Field<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        of_proving(self.0.0.0.0)
    }
}

impl<F: ProvesReachable + ?Sized> OpenField<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        of_proving(self.0)
    }
}

/// Returns the fault that the type of an error reports, or the first one among its sources.
fn of_proving<E: ProvesReachable + ?Sized>(error: &E) -> FieldFault {
    error.transport_fault().or_else(|| classify(error.source()))
}

impl<F: Error + 'static> ErrorField<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        classify(Some(self.0.0.0))
    }
}

impl<F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        classify(Some(self.0.0.as_ref()))
    }
}

impl<F: AsRef<dyn Error + 'static> + ?Sized> Holder<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        classify(Some(self.0.as_ref()))
    }
}

impl Plain {
    #[must_use]
    pub const fn __breaker_fault(&self) -> FieldFault {
        None
    }
}

otherwise! {
    ['a, S: ?Sized] StatusField<'a, S> => Plain, 1;
}
