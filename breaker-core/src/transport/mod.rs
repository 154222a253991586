//! Transport faults of errors: by the types along the chain of an error, then by the words of its type and messages.

#[cfg(any(feature = "io", feature = "reqwest", feature = "reqwest-0-12", feature = "tonic"))]
mod foreign_evidence;
mod phrases;

use std::any::type_name;
use std::error::Error;

use self::phrases::Words;
#[cfg(feature = "dynamic")]
use crate::evidence::error_chain::{KnownError, registered};
use crate::evidence::error_chain::{Root, text_of, walk, walk_sources};
use crate::evidence::{Fault, ProvesReachable};
use crate::known_errors::{self, Classification};

/// Returns the fault of the outermost error whose type is known, or `None` where no type is known.
pub(crate) fn classify(root: Root<'_>) -> Option<Fault> {
    walk(root, known_errors::classify).map(conclude)
}

fn conclude(classification: Classification<'_>) -> Fault {
    match classification {
        Classification::Known(fault) => fault,
        Classification::AskSource { source, conclude } => {
            conclude(source.and_then(|source| classify(Root::Error(source))))
        }
    }
}

/// Returns the fault of an error whose own type reports at most a name: by the types of its sources, then by words.
pub(crate) fn fault_of<E: Error + ?Sized>(error: &E, reported: Option<Fault>) -> Fault {
    walk_sources(error, known_errors::classify).map_or_else(
        || {
            let mut words = Words::of_types([Some(type_name::<E>()), reported_name(reported)]);
            words.add_message(&text_of(error));
            walk_sources(error, |source| words.add_messages_from(source));
            words.fault()
        },
        conclude,
    )
}

/// Returns the fault of an error of hidden type: by the types along its chain, then by words.
#[cfg(feature = "dynamic")]
pub(crate) fn fault_in(root: Root<'_>, reported: Option<Fault>) -> Fault {
    classify(root).unwrap_or_else(|| {
        let mut words = Words::of_types([reported_name(reported), None]);
        walk(root, |error| words.add_messages_from(error));
        words.fault()
    })
}

/// Returns the fault that the type of a known error reports, or else the name of this type.
#[cfg(feature = "dynamic")]
pub(crate) fn reported_by(known: &KnownError<'_>) -> Option<Fault> {
    with_name(known.error.transport_fault(), (known.name)())
}

/// Returns the fault of an error inside another one: what its type reports, the first fault among its sources, or the name
/// of its type.
pub(crate) fn fault_of_inner<E: ProvesReachable + ?Sized>(error: &E) -> Option<Fault> {
    match error.transport_fault() {
        reported @ (None | Some(Fault::Named(_))) => {
            walk_sources(error, known_errors::classify).map(conclude).or_else(|| with_name(reported, type_name::<E>()))
        }
        reported => reported,
    }
}

/// The same for an error that has no evidence of its own.
pub(crate) fn fault_of_inner_error<E: Error + 'static>(error: &E) -> Option<Fault> {
    fault_of_hidden(Root::Error(error)).or_else(|| with_name(None, type_name::<E>()))
}

/// The same for an error of hidden type.
pub(crate) fn fault_of_hidden(root: Root<'_>) -> Option<Fault> {
    let fault = classify(root);
    #[cfg(feature = "dynamic")]
    let fault = fault.or_else(|| walk(root, registered).as_ref().and_then(reported_by));
    fault
}

fn reported_name(reported: Option<Fault>) -> Option<&'static str> {
    match reported {
        Some(Fault::Named(name)) => Some(name),
        _ => None,
    }
}

/// Adds the name of a type to what it reports: the name of an error inside it stays if this one says less.
fn with_name(reported: Option<Fault>, name: &'static str) -> Option<Fault> {
    match reported {
        None => Some(Fault::Named(name)),
        Some(Fault::Named(_)) if phrases::are_in_type(name) => Some(Fault::Named(name)),
        reported => reported,
    }
}
