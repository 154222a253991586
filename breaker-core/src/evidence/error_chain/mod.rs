//! The walk along the errors inside an error, outermost first. Every rule about errors inside errors uses it.
//!
//! | inside | found by |
//! |---|---|
//! | an error with a source | `source()` |
//! | a rejection in a wrapper that returns the source of the error that it hides | `source()` of the rejection |
//! | `Box<E>`, `Arc<E>`, `&E`, whose `source()` skips `E` | `pointers`, where the type `E` is known or registered |
//! | `Arc<dyn Error>` | `pointers` |
//! | `io::Error`, whose `source()` skips its payload | `get_ref` |
//! | `reqwest_middleware::Error`, whose `source()` skips the error that it wraps | its variants |
//! | a context of `anyhow` or `eyre`, which is not a source | `contexts`, where its type is known or registered |

mod any_value;
#[cfg(any(feature = "anyhow", feature = "eyre"))]
mod contexts;
mod known_types;
mod pointers;
#[cfg(feature = "dynamic")]
mod registered;

use std::error::Error;
use std::fmt::{Display, Write as _};
use std::io;

#[cfg(feature = "dynamic")]
pub(crate) use registered::{KnownError, registered};
#[cfg(feature = "dynamic")]
pub use registered::{MarkedType, Probe, downcasts};

use crate::panics::contained;
use crate::rejection::{CircuitOpen, source_or_hidden_rejection};

/// An error of hidden type.
pub(crate) type Dyn = dyn Error + 'static;

/// The largest number of errors that one walk visits. A longer chain is a cycle.
const MAX_VISITED: usize = 1_000;

/// The error at which a walk starts.
#[derive(Clone, Copy)]
pub(crate) enum Root<'e> {
    Error(&'e Dyn),
    #[cfg(feature = "anyhow")]
    Anyhow(&'e ::anyhow::Error),
    #[cfg(feature = "eyre")]
    Eyre(&'e ::eyre::Report),
}

impl<'e> Root<'e> {
    fn outermost(self) -> &'e Dyn {
        match self {
            Self::Error(error) => error,
            #[cfg(feature = "anyhow")]
            Self::Anyhow(error) => error.as_ref(),
            #[cfg(feature = "eyre")]
            Self::Eyre(error) => error.as_ref(),
        }
    }
}

/// How a walk continues after an error.
enum Next<T> {
    /// With the errors inside it.
    Inside,
    /// Past the errors inside it.
    #[cfg_attr(
        not(feature = "dynamic"),
        expect(dead_code, reason = "only registered errors answer for those inside them")
    )]
    Past,
    /// Not at all.
    Found(T),
}

/// Visits an error and the errors inside it, outermost first, until `visit` returns a value. A `source()` that panics
/// ends the walk without one.
pub(crate) fn walk<'e, T>(root: Root<'e>, mut visit: impl FnMut(&'e Dyn) -> Option<T>) -> Option<T> {
    start(root, |error| visit(error).map_or(Next::Inside, Next::Found))
}

fn start<'e, T>(root: Root<'e>, mut visit: impl FnMut(&'e Dyn) -> Next<T>) -> Option<T> {
    contained(|| walk_from(root, &mut MAX_VISITED.clone(), &mut visit)).flatten()
}

/// Walks along the sources of an error that is not `'static` itself.
pub(crate) fn walk_sources<'e, T, E>(error: &'e E, visit: impl FnMut(&'e Dyn) -> Option<T>) -> Option<T>
where
    E: Error + ?Sized,
{
    // Every returned error is asked. A closure that returns nothing is the cheapest to contain.
    let mut source = None;
    contained(|| source = error.source());
    walk(Root::Error(source?), visit)
}

fn walk_from<'e, T>(root: Root<'e>, left: &mut usize, visit: &mut dyn FnMut(&'e Dyn) -> Next<T>) -> Option<T> {
    #[cfg(any(feature = "anyhow", feature = "eyre"))]
    let mut contexts = contexts::Contexts::of(root);
    let mut next = Some(root.outermost());
    while let Some(error) = next {
        #[cfg(any(feature = "anyhow", feature = "eyre"))]
        while let Some(context) = contexts.take_at(error) {
            if let Some(found) = walk_from(context, left, visit) {
                return Some(found);
            }
        }
        *left = left.checked_sub(1)?;
        match visit(error) {
            Next::Inside => (),
            Next::Past => return None,
            Next::Found(found) => return Some(found),
        }
        next = match skipped_by_source(error) {
            Some(Root::Error(inner)) => Some(inner),
            #[cfg(any(feature = "anyhow", feature = "eyre"))]
            Some(report) => return walk_from(report, left, visit),
            // A rejection would return itself.
            None if error.is::<CircuitOpen>() => None,
            None => source_or_hidden_rejection(error),
        };
    }
    None
}

/// Returns the error that is directly inside another one, whose `source()` skips it.
fn skipped_by_source(error: &Dyn) -> Option<Root<'_>> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.get_ref().map(|payload| Root::Error(payload));
    }
    #[cfg(feature = "reqwest-middleware")]
    if let Some(error) = error.downcast_ref::<::reqwest_middleware::Error>() {
        return Some(match error {
            ::reqwest_middleware::Error::Middleware(error) => Root::Anyhow(error),
            ::reqwest_middleware::Error::Reqwest(error) => Root::Error(error),
        });
    }
    pointers::pointee(error).map(Root::Error)
}

/// Returns the rejection inside an error: [`CircuitOpen`] itself, at any depth, in any wrapper that the breaker sees
/// through.
///
/// It sees through the `source()` chain, wrappers with `#[error(transparent)]`, `std::io::Error`, a `Box`, an `Arc` or a
/// reference around an error, and, with their features, `reqwest_middleware::Error` and the contexts inside it.
///
/// With the feature `dynamic`, which `anyhow`, `eyre`, `tower` and `reqwest-middleware` turn on, it also asks the fields of
/// an error of yours that derives [`ProvesReachable`](crate::ProvesReachable), is not generic, and does not return the
/// rejection as its source. [`ProvesReachable::rejection`](crate::ProvesReachable::rejection) asks them without the feature,
/// and those of a generic error.
///
/// Use it to tell a call that was not made from one that failed, whatever a retry or another layer put around the error:
///
/// ```
/// use std::io;
/// use breaker_core::{Circuit, Config, rejection};
///
/// let circuit = Circuit::new("shop-7", Config::default());
/// circuit.hold_open();
/// let error = io::Error::other(circuit.try_acquire().unwrap_err());
/// assert_eq!(rejection(&error).unwrap().connection(), "shop-7");
/// assert!(rejection(&io::Error::other("no answer")).is_none());
/// ```
///
/// For an `anyhow::Error` or an `eyre::Report`, pass `error.as_ref()`; their own `downcast_ref::<CircuitOpen>()` finds a
/// rejection that was added as a context.
#[must_use]
pub fn rejection<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e CircuitOpen> {
    rejection_in(Root::Error(error))
}

/// The rejection inside an error, if there is one.
pub type FoundRejection<'e> = Option<&'e CircuitOpen>;

/// Returns the rejection inside an error: one in its chain, or the one that a registered error there returns.
pub(crate) fn rejection_in(root: Root<'_>) -> FoundRejection<'_> {
    start(root, |error| {
        if let Some(open) = error.downcast_ref() {
            return Next::Found(open);
        }
        #[cfg(feature = "dynamic")]
        if let Some(known) = registered(error) {
            // It has asked all that is inside it.
            return known.error.rejection().map_or(Next::Past, Next::Found);
        }
        Next::Inside
    })
}

/// The same for the sources of an error.
#[inline]
pub(crate) fn rejection_among_sources<E: Error + ?Sized>(error: &E) -> FoundRejection<'_> {
    let mut source = None;
    contained(|| source = source_or_hidden_rejection(error));
    rejection_in(Root::Error(source?))
}

/// Returns the rejection among the sources of an error.
///
/// It does not ask registered errors on the way, because an error that derives `ProvesReachable` asks its fields itself:
/// each level would be walked twice as often as the one around it.
pub(crate) fn rejection_as_source<E: Error + ?Sized>(error: &E) -> FoundRejection<'_> {
    walk_sources(error, |error| error.downcast_ref())
}

/// Returns the text of an error, or its beginning where `Display` panics or returns an error.
pub(crate) fn text_of<E: Display + ?Sized>(error: &E) -> String {
    let mut text = String::new();
    let _ = contained(|| write!(text, "{error}"));
    text
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::sync::Arc;

    use super::*;
    use crate::clock::{ClockNumber, Time};
    use crate::rejection::{Rejection, RejectionReason};

    #[derive(Debug)]
    struct Wrapper<E>(E);
    impl<E> fmt::Display for Wrapper<E> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("wrapper")
        }
    }
    impl<E: Error + 'static> Error for Wrapper<E> {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    fn open() -> CircuitOpen {
        CircuitOpen::new(Rejection {
            connection: "shop-7".into(),
            operation: None,
            reason: RejectionReason::InCooldown,
            until: None,
            rejected_at: Time::ORIGIN,
            clock: ClockNumber::NONE,
        })
    }

    #[test]
    fn errors_that_a_source_skips_are_visited() {
        for error in [
            Box::new(open()) as Box<Dyn>,
            Box::new(Box::new(open())),
            Box::new(Arc::new(open())),
            Box::new(Arc::new(Box::new(open()))),
            Box::new(&*Box::leak(Box::new(open()))),
            Box::new(Arc::<dyn Error + Send + Sync>::from(Box::new(open()) as Box<dyn Error + Send + Sync>)),
            Box::new(Arc::<Dyn>::from(Box::new(open()) as Box<Dyn>)),
            Box::new(io::Error::other(io::Error::other(open()))),
            Box::new(Wrapper(Arc::new(io::Error::other(Box::new(open()))))),
            Box::new(Box::new(Wrapper(Wrapper(Arc::new(open()))))),
        ] {
            assert!(rejection(&*error).is_some(), "{error:?}");
        }
        assert!(rejection(&io::Error::other("disk full")).is_none());
        assert!(rejection(&Wrapper(Arc::new(fmt::Error))).is_none());
    }

    #[test]
    fn a_cyclic_chain_ends() {
        #[derive(Debug)]
        struct Ouroboros;
        impl fmt::Display for Ouroboros {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("again")
            }
        }
        impl Error for Ouroboros {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&Ouroboros)
            }
        }
        assert!(rejection(&Ouroboros).is_none());
    }
}
