//! Hygiene of the derive `ProvesReachable`: an expansion does not depend on the names around it.
//!
//! A test binary of its own, because the names and lints are those of a whole crate.

#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(missing_docs, unused_qualifications, warnings, unused_imports, dead_code, deprecated)]

extern crate breaker_core as renamed;

/// A module of such a name.
pub mod core {}
/// A module of such a name.
pub mod std {}
/// A type of such a name.
#[derive(::std::fmt::Debug)]
pub struct Option;
/// A type of such a name.
#[derive(::std::fmt::Debug)]
pub struct Result;
/// A type of such a name.
#[derive(::std::fmt::Debug)]
pub struct Vec;
/// A type of such a name.
#[derive(::std::fmt::Debug)]
pub struct Field;
#[allow(non_upper_case_globals, missing_docs)]
pub const __field0: u8 = 0;

/// Has the methods that the expansion calls.
pub trait Meddler {
    /// Never to be called.
    fn evidence(&self) {}
    /// Never to be called.
    fn rejection(&self) {}
    /// Never to be called.
    fn code(&self) {}
    /// Never to be called.
    fn source(&self) {}
}
impl<T: ?::core::marker::Sized> Meddler for T {}

const GONE: u16 = 410;

/// An error.
#[derive(::std::fmt::Debug, renamed::ProvesReachable)]
#[reachable(crate = ::breaker_core)]
#[non_exhaustive]
pub enum ShopError {
    /// An answer.
    #[reachable(status = [404, GONE])]
    NotFound(Option, Result, Vec, Field),
    /// A name that is a keyword.
    #[reachable]
    r#Type {
        /// A field that is one too.
        r#type: u8,
    },
    /// No longer used.
    #[deprecated]
    #[reachable]
    Archived(u8),
    /// No longer used either.
    #[allow(deprecated)]
    #[reachable(status = Self::GONE, because = "an old error was an answer")]
    OfOld(Old),
    /// Gone by configuration.
    #[cfg(any())]
    #[reachable]
    Timeout(Missing),
    /// A field gone by configuration.
    #[reachable]
    Sold(#[cfg(any())] Missing, u8),
    /// By its status.
    Status {
        /// The status.
        #[reachable(status)]
        status: u16,
    },
    /// By its type.
    Rejected(renamed::CircuitOpen),
    /// By what it wraps.
    #[reachable(transparent)]
    Inner(Inner),
}

/// An error.
#[derive(::std::fmt::Debug, renamed::ProvesReachable)]
#[reachable(crate = renamed)]
pub struct Inner;

impl ShopError {
    const GONE: u16 = 410;
}

/// No longer used.
#[derive(::std::fmt::Debug, renamed::ProvesReachable)]
#[deprecated]
pub struct Old;

/// Holds its own kind.
#[derive(::std::fmt::Debug, renamed::ProvesReachable)]
pub enum Nested<T> {
    /// An answer.
    #[reachable(because = "each level is an answer")]
    NotFound(T, ::std::option::Option<::std::boxed::Box<Nested<T>>>),
    /// Another.
    #[reachable(because = "each level is an answer")]
    Sold(::std::vec::Vec<Self>),
    /// By what it wraps.
    #[reachable(transparent)]
    Inner(::std::boxed::Box<Nested<T>>),
}

impl<T> ::std::fmt::Display for Nested<T> {
    fn fmt(&self, _: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        ::std::result::Result::Ok(())
    }
}

impl<T: ::std::fmt::Debug> ::std::error::Error for Nested<T> {}

/// No value at all.
#[derive(::std::fmt::Debug, renamed::ProvesReachable)]
#[reachable(never, crate = crate::renamed)]
pub enum Void {}

macro_rules! by_macro {
    ($name:ident, $ty:ty, $status:expr, $code:literal) => {
        /// An error.
        #[derive(::std::fmt::Debug, $crate::renamed::ProvesReachable)]
        #[reachable(crate = $crate::renamed)]
        pub enum $name<'a, T, const N: usize> {
            /// An answer.
            #[reachable(status = $status)]
            NotFound($ty, &'a $crate::Field, [u8; N]),
            /// Another.
            #[reachable(status = $code)]
            Sold(T, $crate::Vec),
        }
        impl<T, const N: usize> ::std::fmt::Display for $name<'_, T, N> {
            fn fmt(&self, _: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::result::Result::Ok(())
            }
        }
        impl<T: ::std::fmt::Debug, const N: usize> ::std::error::Error for $name<'_, T, N> {}
    };
}

by_macro!(Made, Option, 400 + 4, 410);

macro_rules! errors {
    ($($name:ident)*) => {$(
        impl ::std::fmt::Display for $name {
            fn fmt(&self, _: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::result::Result::Ok(())
            }
        }
        impl ::std::error::Error for $name {}
    )*};
}

errors!(ShopError Inner Void);

#[allow(deprecated)]
mod old {
    use super::Old;
    errors!(Old);
}

fn proves<E: renamed::ProvesReachable>() {}

#[::std::prelude::v1::test]
fn an_expansion_ignores_the_names_around_it() {
    proves::<ShopError>();
    proves::<Void>();
    proves::<Nested<u8>>();
    proves::<Made<'static, u8, 2>>();
    let _ = __field0;
    let error = ShopError::Sold(1);
    ::std::assert!(renamed::ProvesReachable::evidence(&error) == renamed::Evidence::Answered);
}
