//! Whether an error tells of the transport: a timeout, a broken connection, the status of a response.

pub(crate) mod types;
mod words;

use std::any::type_name;
use std::error::Error;
use std::iter;

use crate::rejection::inside;
use types::along;

/// What an error tells of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There was no answer in time.
    Timeout,
    /// There was no connection in time.
    ConnectTimeout,
    /// There was no connection, or it broke.
    Connection,
    /// There was a response, with this HTTP status.
    Status(u16),
    /// It tells of something else.
    Other,
}

/// What an error tells whose own type does not: asked by the types of its sources, then by its words.
pub(crate) fn fault_of<E: Error + ?Sized>(error: &E) -> Fault {
    along(error.source())
        .or_else(|| {
            let messages = iter::once(error.to_string()).chain(chain(error.source()).map(ToString::to_string));
            words::tell(Some(type_name::<E>()), messages)
        })
        .unwrap_or(Fault::Other)
}

/// As [`fault_of`], for an error whose type is not known.
#[cfg(any(feature = "dynamic", feature = "reqwest-middleware", feature = "tower"))]
pub(crate) fn fault_of_dyn(error: &(dyn Error + 'static)) -> Fault {
    along(Some(error))
        .or_else(|| words::tell(None, chain(Some(error)).map(ToString::to_string)))
        .unwrap_or(Fault::Other)
}

/// An error and what is inside it.
pub(crate) fn chain<'e>(error: Option<&'e (dyn Error + 'static)>) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    // A chain longer than this is a cycle.
    iter::successors(error, |error| inside(*error)).take(1_000)
}
