//! Pointers to errors, which are errors themselves and whose `source()` skips the error that they point to.

use std::error::Error;
use std::sync::Arc;

use super::Dyn;
use super::known_types::for_known_types;

/// Returns the error that a pointer points to.
pub(super) fn pointee(error: &Dyn) -> Option<&Dyn> {
    // Most errors are of another size, which is known without a search.
    match size_of_val(error) {
        size if size == size_of::<Arc<u8>>() => thin(error),
        size if size == size_of::<Arc<Dyn>>() => wide(error),
        _ => None,
    }
}

/// Finds pointers to errors of known type.
fn thin(error: &Dyn) -> Option<&Dyn> {
    macro_rules! pointers_to {
        ($($(#[$cfg:meta])* $known:ty;)*) => {
            [$($(#[$cfg])* pointer_to::<$known>,)*]
        };
    }
    let known: &[for<'e> fn(&'e Dyn) -> Option<&'e Dyn>] = &for_known_types!(pointers_to);
    let pointee = known.iter().find_map(|pointer_to| pointer_to(error));
    #[cfg(feature = "dynamic")]
    let pointee = pointee.or_else(|| super::registered::pointee(error));
    pointee
}

/// Finds pointers to errors of hidden type. A `Box<dyn Error>` does not implement `Error`.
fn wide(error: &Dyn) -> Option<&Dyn> {
    macro_rules! first_of {
        ($($pointee:ty),*) => {
            None$(
                .or_else(|| error.downcast_ref::<Arc<$pointee>>().map(|pointer| &**pointer as &Dyn))
                .or_else(|| error.downcast_ref::<&'static $pointee>().map(|pointer| *pointer as &Dyn))
            )*
        };
    }
    first_of!(dyn Error + Send + Sync, Dyn, dyn Error + Send)
}

/// Returns the error that a pointer to an `E`, or to a pointer to one, points to.
pub(super) fn pointer_to<E: Error + 'static>(error: &Dyn) -> Option<&Dyn> {
    macro_rules! first_of {
        ($($pointer:ty),*) => {
            None$(.or_else(|| error.downcast_ref::<$pointer>().map(|pointer| &**pointer as &Dyn)))*
        };
    }
    first_of!(Box<E>, Arc<E>, &'static E, Box<Box<E>>, Box<Arc<E>>, Arc<Box<E>>, Arc<Arc<E>>)
}
