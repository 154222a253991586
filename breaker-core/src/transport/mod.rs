//! Transport faults of errors: the walk along the chain of an error, and the words of its messages.

#[cfg(any(feature = "io", feature = "reqwest", feature = "tonic"))]
mod foreign_evidence;
mod phrases;

use std::any::type_name;
use std::error::Error;
use std::iter;

use crate::evidence::Fault;
use crate::evidence::error_chain::chain;
use crate::known_errors::{self, Classification};

/// Returns the fault of the first error of a chain whose type is known, or `None` where no type is known.
pub(crate) fn classify(error: Option<&(dyn Error + 'static)>) -> Option<Fault> {
    chain(error).find_map(known_errors::classify).map(|classification| match classification {
        Classification::Known(fault) => fault,
        Classification::AskSource { source, conclude } => conclude(classify(source)),
    })
}

/// Returns the fault of an error whose own type reports none: by the types of its sources, then by words.
pub(crate) fn fault_of<E: Error + ?Sized>(error: &E) -> Fault {
    classify(error.source())
        .or_else(|| {
            let messages = iter::once(error.to_string()).chain(chain(error.source()).map(ToString::to_string));
            phrases::classify(Some(type_name::<E>()), messages)
        })
        .unwrap_or(Fault::Other)
}

/// Returns the fault of an error of unknown type: by the types along its chain, then by words.
#[cfg(any(feature = "dynamic", feature = "reqwest-middleware", feature = "tower"))]
pub(crate) fn fault_of_dyn(error: &(dyn Error + 'static)) -> Fault {
    classify(Some(error))
        .or_else(|| phrases::classify(None, chain(Some(error)).map(ToString::to_string)))
        .unwrap_or(Fault::Other)
}
