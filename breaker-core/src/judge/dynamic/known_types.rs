//! Types of other crates that say what they prove, as far as their features are on.
//!
//! `std::io::Error` is not among them: it is never an answer, and at the end of a chain it knows less than what wraps it.

use super::Downcasts;

pub(super) const TYPES: &[fn() -> Downcasts] = &[
    #[cfg(feature = "reqwest")]
    finders_of::<reqwest::Error>,
    #[cfg(feature = "reqwest-middleware")]
    finders_of::<reqwest_middleware::Error>,
    #[cfg(feature = "tonic")]
    finders_of::<tonic::Status>,
];

#[cfg(any(feature = "reqwest", feature = "tonic"))]
fn finders_of<E: crate::ProvesReachable + Send + Sync + 'static>() -> Downcasts {
    super::downcasts::OfShared::downcasts(&super::Probe::<E>::new())
}
