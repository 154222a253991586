//! Error types of other crates that are searched for inside dynamic errors, as far as their features are on.
//!
//! `std::io::Error` is not included: it is never an answer, and at the end of a chain it is less specific than the
//! errors around it.

use super::Downcasts;

pub(super) const TYPES: &[fn() -> Downcasts] = &[
    #[cfg(feature = "reqwest")]
    downcasts_of::<reqwest::Error>,
    #[cfg(feature = "reqwest-middleware")]
    downcasts_of::<reqwest_middleware::Error>,
    #[cfg(feature = "tonic")]
    downcasts_of::<tonic::Status>,
];

#[cfg(any(feature = "reqwest", feature = "tonic"))]
fn downcasts_of<E: crate::ProvesReachable + Send + Sync + 'static>() -> Downcasts {
    super::downcasts::OfShared::downcasts(&super::Probe::<E>::new())
}
