//! What does a field tell of the transport? Wrappers whose `source()` passes over the error that they hold, as
//! `#[error(transparent)]` makes them, are seen through this way.

use std::error::Error;

use super::passing::{ErrorField, Field, Holder, Plain, SharedHolder};
use super::status::RunTimeStatus;
use crate::ProvesReachable;
use crate::transport::Fault;
use crate::transport::types::along;

/// The answer of an expansion.
pub type Told = Option<Fault>;

/// What the status in a `#[reachable(status)]` field tells.
pub fn fault_of_status<S: RunTimeStatus + ?Sized>(status: &S) -> Told {
    status.code().map(Fault::Status)
}

/// What an error tells by its own type, or by those of its sources.
pub fn fault_of<E: ProvesReachable + ?Sized>(error: &E) -> Told {
    error.transport_fault().or_else(|| along(error.source()))
}

impl<F: ProvesReachable + ?Sized> Field<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> Told {
        fault_of(self.0.0.0.0)
    }
}

impl<F: Error + 'static> ErrorField<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> Told {
        along(Some(self.0.0.0))
    }
}

impl<F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> Told {
        along(Some(self.0.0.as_ref()))
    }
}

impl<F: AsRef<dyn Error + 'static> + ?Sized> Holder<'_, F> {
    #[must_use]
    pub fn __breaker_fault(&self) -> Told {
        along(Some(self.0.as_ref()))
    }
}

impl Plain {
    #[must_use]
    pub const fn __breaker_fault(&self) -> Told {
        None
    }
}
