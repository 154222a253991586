//! Error types that are registered: marked types, in a list that the derive fills and the linker assembles.

use std::any::{Any, type_name};
use std::marker::PhantomData;

use super::any_value::error_in;
#[cfg(any(feature = "anyhow", feature = "eyre"))]
use super::contexts::Contexts;
use super::pointers::pointer_to;
use super::{Dyn, Root};
use crate::evidence::{ProvesReachable, TypeName};

/// An entry for a marked type in the list that the linker assembles.
pub struct MarkedType(pub fn() -> Downcasts);

inventory::collect!(MarkedType);

/// Functions that find one error type inside a dynamic error.
pub struct Downcasts {
    name: TypeName,
    find: fn(&Dyn) -> Option<&dyn ProvesReachable>,
    pointee: fn(&Dyn) -> Option<&Dyn>,
    in_any: for<'v> fn(&'v dyn Any) -> Option<Root<'v>>,
    #[cfg(feature = "anyhow")]
    in_anyhow: for<'e> fn(&'e ::anyhow::Error, &mut Contexts<'e>),
    #[cfg(feature = "eyre")]
    in_eyre: for<'e> fn(&'e ::eyre::Report, &mut Contexts<'e>),
}

/// Placeholder for a marked type, with which method resolution decides whether the type is `Send + Sync`.
pub struct Probe<E>(PhantomData<fn() -> E>);

impl<E> Probe<E> {
    /// Creates a placeholder for `E`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "used only by expansions")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// `(&Probe::<E>::new()).downcasts()` selects the first of these traits that fits.
pub mod downcasts {
    use super::{Downcasts, Probe, ProvesReachable, as_proof, error_in, pointer_to, type_name};

    /// A `Send + Sync` error can be inside any dynamic error.
    pub trait OfShared {
        /// Returns its downcasts.
        fn downcasts(&self) -> Downcasts;
    }

    impl<E: ProvesReachable + Send + Sync + 'static> OfShared for Probe<E> {
        fn downcasts(&self) -> Downcasts {
            Downcasts {
                #[cfg(feature = "anyhow")]
                in_anyhow: |report, contexts| contexts.add::<_, E>(report),
                #[cfg(feature = "eyre")]
                in_eyre: |report, contexts| contexts.add::<_, E>(report),
                ..OfLocal::downcasts(&self)
            }
        }
    }

    /// Any other error can only be inside a plain box.
    pub trait OfLocal {
        /// Returns its downcasts.
        fn downcasts(&self) -> Downcasts;
    }

    impl<E: ProvesReachable + 'static> OfLocal for &Probe<E> {
        fn downcasts(&self) -> Downcasts {
            Downcasts {
                name: type_name::<E>,
                find: |error| error.downcast_ref::<E>().map(as_proof),
                pointee: pointer_to::<E>,
                in_any: error_in::<E>,
                #[cfg(feature = "anyhow")]
                in_anyhow: |_, _| (),
                #[cfg(feature = "eyre")]
                in_eyre: |_, _| (),
            }
        }
    }
}

fn as_proof<E: ProvesReachable>(error: &E) -> &dyn ProvesReachable {
    error
}

/// An error whose type has evidence.
pub(crate) struct KnownError<'e> {
    pub(crate) name: TypeName,
    pub(crate) error: &'e dyn ProvesReachable,
}

/// Error types of other crates that have evidence.
///
/// `std::io::Error` is not included: it is never an answer, and at the end of a chain it is less specific than the
/// errors around it.
const OF_OTHER_CRATES: &[fn() -> Downcasts] = &[
    #[cfg(feature = "reqwest-0-12")]
    downcasts_of::<::reqwest_0_12::Error>,
    #[cfg(feature = "reqwest")]
    downcasts_of::<::reqwest::Error>,
    #[cfg(feature = "reqwest-middleware")]
    downcasts_of::<::reqwest_middleware::Error>,
    #[cfg(feature = "tonic")]
    downcasts_of::<::tonic::Status>,
];

#[cfg(any(feature = "reqwest", feature = "reqwest-0-12", feature = "tonic"))]
fn downcasts_of<E: ProvesReachable + Send + Sync + 'static>() -> Downcasts {
    downcasts::OfShared::downcasts(&Probe::<E>::new())
}

fn marked_types() -> impl Iterator<Item = Downcasts> {
    inventory::iter::<MarkedType>.into_iter().map(|MarkedType(downcasts)| downcasts())
}

/// Returns the error itself if its type is registered, or belongs to another crate and has evidence.
pub(crate) fn registered(error: &Dyn) -> Option<KnownError<'_>> {
    marked_types()
        .chain(OF_OTHER_CRATES.iter().map(|downcasts| downcasts()))
        .find_map(|downcasts| (downcasts.find)(error).map(|error| KnownError { name: downcasts.name, error }))
}

/// Returns the registered error that a pointer points to.
pub(super) fn pointee(error: &Dyn) -> Option<&Dyn> {
    marked_types().find_map(|downcasts| (downcasts.pointee)(error))
}

/// Returns the registered error that a value is, or that it points to.
pub(super) fn error_in_any(value: &dyn Any) -> Option<Root<'_>> {
    marked_types().find_map(|downcasts| (downcasts.in_any)(value))
}

#[cfg(feature = "anyhow")]
pub(super) fn add_contexts_of_anyhow<'e>(report: &'e ::anyhow::Error, contexts: &mut Contexts<'e>) {
    marked_types().for_each(|downcasts| (downcasts.in_anyhow)(report, contexts));
}

#[cfg(feature = "eyre")]
pub(super) fn add_contexts_of_eyre<'e>(report: &'e ::eyre::Report, contexts: &mut Contexts<'e>) {
    marked_types().for_each(|downcasts| (downcasts.in_eyre)(report, contexts));
}
