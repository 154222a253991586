//! Errors in values of a type that only the caller of generic code knows.

use std::any::Any;
use std::error::Error;
use std::sync::Arc;

use super::Root;
use super::known_types::for_known_types;

impl<'e> Root<'e> {
    /// Returns the root of a walk if the type of the value is a known or registered error, a pointer to one, or a boxed
    /// error.
    pub(crate) fn of_any(value: &'e dyn Any) -> Option<Self> {
        macro_rules! known {
            ($($(#[$cfg:meta])* $known:ty;)*) => {
                [$($(#[$cfg])* error_in::<$known>,)*]
            };
        }
        macro_rules! pointers {
            ($($pointer:ty),*) => {
                None$(.or_else(|| value.downcast_ref::<$pointer>().map(|pointer| Self::Error(&**pointer))))*
            };
        }
        let known: &[for<'v> fn(&'v dyn Any) -> Option<Root<'v>>] = &for_known_types!(known);
        let root = known.iter().find_map(|error_in| error_in(value)).or_else(|| {
            pointers!(
                Box<dyn Error + Send + Sync>,
                Box<dyn Error + Send>,
                Box<dyn Error>,
                Arc<dyn Error + Send + Sync>,
                Arc<dyn Error + Send>,
                Arc<dyn Error>
            )
        });
        #[cfg(feature = "anyhow")]
        let root = root.or_else(|| value.downcast_ref().map(Self::Anyhow));
        #[cfg(feature = "eyre")]
        let root = root.or_else(|| value.downcast_ref().map(Self::Eyre));
        #[cfg(feature = "dynamic")]
        let root = root.or_else(|| super::registered::error_in_any(value));
        root
    }
}

/// Finds an `E`, or a pointer to one, which the walk sees through.
pub(super) fn error_in<E: Error + 'static>(value: &dyn Any) -> Option<Root<'_>> {
    macro_rules! first_of {
        ($($error:ty),*) => {
            None$(.or_else(|| value.downcast_ref::<$error>().map(|error| Root::Error(error))))*
        };
    }
    first_of!(E, Box<E>, Arc<E>, Box<Box<E>>, Box<Arc<E>>, Arc<Box<E>>, Arc<Arc<E>>)
}
