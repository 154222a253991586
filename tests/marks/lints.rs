//! A marked type causes no warnings, whichever lints its crate enables.
//!
//! Fails if the expansion contains an `#[allow]`, which contradicts the `forbid`, or a `use` of a trait by its name.

#![forbid(unsafe_code, unused_imports, unused_variables, dead_code, unused_qualifications, deprecated)]
#![deny(warnings, missing_docs, clippy::pedantic, clippy::nursery)]
#![deny(elided_lifetimes_in_paths, explicit_outlives_requirements, single_use_lifetimes, unused_lifetimes)]
#![deny(
    unreachable_pub,
    unnameable_types,
    trivial_casts,
    trivial_numeric_casts,
    variant_size_differences,
    let_underscore_drop
)]

use std::error::Error;
use std::fmt;

use breaker_core::{CircuitOpen, Evidence, ProvesReachable, marks};

/// Everything that can fail.
#[derive(Debug, ProvesReachable)]
pub enum ShopError<'a, T, const N: usize>
where
    T: fmt::Debug,
{
    /// An answer.
    #[reachable(status = [404, { GONE }])]
    NotFound(T, &'a str),
    /// An answer that needs a reason.
    #[reachable(status = 400, because = "the shop answers an invalid coupon with 400")]
    InvalidCoupon([u8; N]),
    /// No longer used.
    #[deprecated]
    #[reachable(status = (GONE - 1))]
    Archived(u8),
    /// By its status.
    Status {
        /// The status.
        #[reachable(status)]
        status: u16,
        /// The body.
        r#type: String,
    },
    /// By its type.
    Rejected(CircuitOpen),
    /// By what it wraps.
    #[reachable(transparent)]
    Inner(Gone),
    /// Not marked.
    Io(std::io::Error),
    /// Not marked.
    Dynamic(Box<dyn Error + Send + Sync>),
}

const GONE: u16 = 410;

/// An answer.
#[derive(Clone, Copy, Debug, ProvesReachable)]
pub struct Gone;

impl<T: fmt::Debug, const N: usize> fmt::Display for ShopError<'_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("shop")
    }
}

impl<T: fmt::Debug, const N: usize> Error for ShopError<'_, T, N> {}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("gone")
    }
}

impl Error for Gone {}

#[test]
fn a_marked_type_works_under_all_lints() {
    let inner: ShopError<'_, u8, 2> = ShopError::Inner(Gone);
    assert_eq!(inner.evidence(), Evidence::Answered);
    assert_eq!(marks::<ShopError<'_, u8, 2>>().len(), 8);
}
