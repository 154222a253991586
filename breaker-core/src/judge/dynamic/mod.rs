//! Judgement of errors of hidden type: `Box<dyn Error + Send + Sync>`, `anyhow::Error` and `eyre::Report`. Marked types
//! are found inside them through a list that the derive fills and the linker assembles.

mod boxed;
mod known_types;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(crate) mod unknown_type;
#[cfg(any(feature = "anyhow", feature = "eyre"))]
pub(crate) mod with_contexts;

use std::any::type_name;
use std::error::Error;
use std::marker::PhantomData;

use crate::config::Config;
use crate::evidence::error_chain::{chain, contains_rejection};
use crate::evidence::{Evidence, Judgement, ProvesReachable, TypeName};
use crate::transport;

type Dyn = dyn Error + 'static;

/// An entry for a marked type in the list that the linker assembles.
pub struct MarkedType(pub fn() -> Downcasts);

inventory::collect!(MarkedType);

/// Functions that find one error type inside a dynamic error.
pub struct Downcasts {
    name: TypeName,
    find: fn(&Dyn) -> Option<&dyn ProvesReachable>,
    #[cfg(feature = "anyhow")]
    find_in_anyhow: fn(&::anyhow::Error) -> Option<&dyn ProvesReachable>,
    #[cfg(feature = "eyre")]
    find_in_eyre: fn(&::eyre::Report) -> Option<&dyn ProvesReachable>,
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
    use super::{Downcasts, Probe, ProvesReachable, speaking, type_name};

    /// A `Send + Sync` error can be inside any dynamic error.
    pub trait OfShared {
        /// Returns its downcasts.
        fn downcasts(&self) -> Downcasts;
    }

    impl<E: ProvesReachable + Send + Sync + 'static> OfShared for Probe<E> {
        fn downcasts(&self) -> Downcasts {
            Downcasts {
                #[cfg(feature = "anyhow")]
                find_in_anyhow: |error| error.downcast_ref::<E>().map(speaking),
                #[cfg(feature = "eyre")]
                find_in_eyre: |error| error.downcast_ref::<E>().map(speaking),
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
                find: |error| error.downcast_ref::<E>().map(speaking),
                #[cfg(feature = "anyhow")]
                find_in_anyhow: |_| None,
                #[cfg(feature = "eyre")]
                find_in_eyre: |_| None,
            }
        }
    }
}

fn speaking<E: ProvesReachable>(error: &E) -> &dyn ProvesReachable {
    error
}

/// An error of known type, which decides for the whole dynamic error.
pub(super) struct KnownError<'e> {
    pub(super) name: TypeName,
    pub(super) error: &'e dyn ProvesReachable,
}

/// Returns the outermost marked error of a chain.
fn outermost(error: &Dyn) -> Option<KnownError<'_>> {
    chain(Some(error)).find_map(marked)
}

/// Returns the error itself if its own type is marked.
pub(super) fn marked(error: &Dyn) -> Option<KnownError<'_>> {
    first(|downcasts| (downcasts.find)(error))
}

/// Returns the first type that is found: a marked one, or one of another crate whose feature is on.
fn first<'e>(find: impl Fn(&Downcasts) -> Option<&'e dyn ProvesReachable>) -> Option<KnownError<'e>> {
    let marked = inventory::iter::<MarkedType>.into_iter().map(|MarkedType(downcasts)| *downcasts);
    marked.chain(known_types::TYPES.iter().copied()).find_map(|downcasts| {
        let downcasts = downcasts();
        find(&downcasts).map(|error| KnownError { name: downcasts.name, error })
    })
}

/// Judges a dynamic error of type `E` by the known error inside it. Without one, it is a failure. If a rejection is
/// anywhere inside, it is never evidence.
pub(super) fn judgement<E>(
    error: &Dyn,
    boxed: Option<&Dyn>,
    known: Option<&KnownError<'_>>,
    config: &Config,
) -> Judgement {
    let (name, evidence_of_type, fault) = match known {
        Some(KnownError { name, error }) if error.passes_on_rejection() => (*name, Evidence::Unknown, None),
        Some(KnownError { name, error }) => (*name, error.evidence(), error.transport_fault()),
        None => (type_name::<E> as TypeName, Evidence::Failed, None),
    };
    let evidence = if contains_rejection(Some(error)) || contains_rejection(boxed) {
        Evidence::Unknown
    } else {
        config.evidence_of_error(evidence_of_type, fault, || transport::fault_of_dyn(error))
    };
    Judgement { error: Some(name), ..Judgement::of(evidence) }
}
