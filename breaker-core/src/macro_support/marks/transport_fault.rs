//! The transport fault of a field.
//!
//! `#[error(transparent)]` makes wrappers whose `source()` skips the wrapped error. Asking the field itself reaches it.

use std::error::Error;
use std::rc::Rc;

use super::passes_rejection::{ErrSide, ErrorField, Field, Holder, OpenField, Plain, SharedHolder};
use super::status::RunTimeStatus;
use crate::evidence::error_chain::Root;
use crate::evidence::{Fault, ProvesReachable};
use crate::transport::{fault_of_hidden, fault_of_inner, fault_of_inner_error};

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
        fault_of_inner(self.0.0.0.0)
    }
}

impl<F: ProvesReachable + ?Sized> OpenField<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_inner(self.0)
    }
}

#[cfg(feature = "anyhow")]
impl Field<'_, ::anyhow::Error> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_hidden(Root::Anyhow(self.0.0.0.0))
    }
}

#[cfg(feature = "eyre")]
impl Field<'_, ::eyre::Report> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_hidden(Root::Eyre(self.0.0.0.0))
    }
}

impl<F: Error + 'static> ErrorField<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_inner_error(self.0.0.0)
    }
}

impl<F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_hidden(Root::Error(self.0.0.as_ref()))
    }
}

impl<F: AsRef<dyn Error + 'static> + ?Sized> Holder<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_hidden(Root::Error(self.0.as_ref()))
    }
}

impl<E: Error + 'static> ErrSide<'_, Rc<E>> {
    #[must_use]
    pub fn __breaker_fault(&self) -> FieldFault {
        fault_of_inner_error(&**self.0)
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
