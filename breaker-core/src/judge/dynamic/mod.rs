//! Errors whose type is hidden: `Box<dyn Error + Send + Sync>`, and those of `anyhow` and `eyre`. A marked type is found
//! again inside them, for the derive enters each into a list that the linker puts together.

#[cfg(feature = "anyhow")]
pub(crate) mod anyhow;
mod boxed;
#[cfg(feature = "eyre")]
pub(crate) mod eyre;
mod known_types;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(crate) mod unknown_type;

use std::any::type_name;
use std::error::Error;
use std::marker::PhantomData;

use crate::config::Config;
use crate::evidence::error_chain::{chain, contains_rejection};
use crate::evidence::{Evidence, Judgement, ProvesReachable, TypeName};
use crate::transport;

type Dyn = dyn Error + 'static;

/// A type with marks, in the list that the linker puts together.
pub struct MarkedType(pub fn() -> Downcasts);

inventory::collect!(MarkedType);

/// What finds one type inside an error.
pub struct Downcasts {
    name: TypeName,
    find: fn(&Dyn) -> Option<&dyn ProvesReachable>,
    #[cfg(feature = "anyhow")]
    find_in_anyhow: fn(&::anyhow::Error) -> Option<&dyn ProvesReachable>,
    #[cfg(feature = "eyre")]
    find_in_eyre: fn(&::eyre::Report) -> Option<&dyn ProvesReachable>,
}

/// Stands for a marked type while the compiler is asked whether it may cross threads.
pub struct Probe<E>(PhantomData<fn() -> E>);

impl<E> Probe<E> {
    /// Stands for `E`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "expansions name it, and nobody else does")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// `(&Probe::<E>::new()).downcasts()` takes the first of these that fits.
pub mod downcasts {
    use super::{Downcasts, Probe, ProvesReachable, speaking, type_name};

    /// An error that may cross threads can stand anywhere.
    pub trait OfShared {
        /// What finds it.
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

    /// Any other stands in a plain box at most.
    pub trait OfLocal {
        /// What finds it.
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

/// An error that speaks for all that it wraps.
pub(super) struct KnownError<'e> {
    pub(super) name: TypeName,
    pub(super) error: &'e dyn ProvesReachable,
}

/// The outermost error of a chain that has marks.
fn outermost(error: &Dyn) -> Option<KnownError<'_>> {
    chain(Some(error)).find_map(marked)
}

/// An error whose own type has marks.
pub(super) fn marked(error: &Dyn) -> Option<KnownError<'_>> {
    first(|downcasts| (downcasts.find)(error))
}

/// The first type that finds itself: one with marks, or one of another crate that a feature lets speak.
fn first<'e>(find: impl Fn(&Downcasts) -> Option<&'e dyn ProvesReachable>) -> Option<KnownError<'e>> {
    let marked = inventory::iter::<MarkedType>.into_iter().map(|MarkedType(downcasts)| *downcasts);
    marked.chain(known_types::TYPES.iter().copied()).find_map(|downcasts| {
        let downcasts = downcasts();
        find(&downcasts).map(|error| KnownError { name: downcasts.name, error })
    })
}

/// What a dynamic error of type `E` says: what its known says, and where it has none, a failure. A rejection anywhere
/// inside is never evidence.
pub(super) fn judgement<E>(
    error: &Dyn,
    boxed: Option<&Dyn>,
    known: Option<&KnownError<'_>>,
    config: &Config,
) -> Judgement {
    let (name, said, fault) = match known {
        Some(KnownError { name, error }) if error.passes_on_rejection() => (*name, Evidence::Unknown, None),
        Some(KnownError { name, error }) => (*name, error.evidence(), error.transport_fault()),
        None => (type_name::<E> as TypeName, Evidence::Failed, None),
    };
    let evidence = if contains_rejection(Some(error)) || contains_rejection(boxed) {
        Evidence::Unknown
    } else {
        config.evidence_of_error(said, fault, || transport::fault_of_dyn(error))
    };
    Judgement { error: Some(name), ..Judgement::of(evidence) }
}
