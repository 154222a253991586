//! Tests of marks on errors of other crates whose features are off, behind names that only the compiler resolves.

#![expect(dead_code, reason = "the tests are about the types of the fields")]

use std::sync::Arc;

use breaker_core::{Marked, MarkedPayload, ProvesReachable, marks};
use serde_json::Error as Malformed;

type Shared = Option<Arc<serde_json::Error>>;
type Code = http::StatusCode;

#[derive(Debug)]
pub struct Cause<E>(pub E);

macro_rules! errors {
    ($($name:ident($field:ty), [$($mark:tt)+];)*) => {$(
        #[derive(Debug, thiserror::Error, ProvesReachable)]
        #[error("{0:?}")]
        #[reachable($($mark)+)]
        struct $name($field);
    )*};
}

errors! {
    Imported(Malformed), [status = 404];
    Aliased(Shared), [status = 404];
    Renamed(urlencoded::ser::Error), [status = 404];
    Wrapped(Cause<Malformed>), [because = "no reason lifts it", status = 400];
    NotSent(Malformed), [unknown];
    Sold(Code), [status = 404];
}

/// The text of the panic of `marks::<E>()`.
fn refused<E: Marked>() -> Option<String> {
    let panic = std::panic::catch_unwind(|| drop(marks::<E>())).err()?;
    Some(*panic.downcast::<String>().expect("a text"))
}

#[test]
fn the_table_of_marks_refuses_a_type_that_only_its_own_name_reveals() {
    for (refused, variant) in [
        (refused::<Imported>(), "Imported"),
        (refused::<Aliased>(), "Aliased"),
        (refused::<Renamed>(), "Renamed"),
        (refused::<Wrapped>(), "Wrapped"),
        (refused::<NotSent>(), "NotSent"),
    ] {
        let text = refused.unwrap_or_else(|| panic!("{variant} passes"));
        assert!(text.starts_with(&format!("`{variant}` of `field_types::{variant}` is marked")), "{text}");
        let named = if variant == "Renamed" { "`serde_urlencoded::ser::Error`" } else { "`serde_json::error::Error`" };
        assert!(text.contains(named), "{text}");
    }
    assert_eq!(refused::<Sold>(), None, "the mark states the status");
}

mod serde_json_of_ours {
    pub mod serde_json {
        #[derive(Debug)]
        pub struct Error;

        impl breaker_core::MarkedPayload for Error {}
    }

    pub mod http {
        #[derive(Debug)]
        pub struct Error;
    }
}

/// Types that only share a name with one of another crate.
mod namesakes {
    use super::serde_json_of_ours::{http, serde_json};
    use super::*;

    #[derive(Debug)]
    pub struct StatusCode(pub u8);
    impl MarkedPayload for StatusCode {}

    #[derive(Debug, thiserror::Error, ProvesReachable)]
    pub enum ShopError {
        #[error("a")]
        #[reachable]
        Declared(serde_json::Error),
        #[error("b")]
        #[reachable]
        Relative(self::http::Error),
        #[error("c")]
        #[reachable]
        NoCode(StatusCode),
        #[error("d")]
        #[reachable]
        NotFound(std::marker::PhantomData<::serde_json::Error>, fn(::serde_json::Error)),
        #[error("e")]
        #[reachable(unknown, because = "it was made before the request was sent")]
        NotSent(::serde_json::Error),
        #[error("f")]
        #[reachable(because = "the ledger answers with the status of its own backend")]
        Forwarded(::http::StatusCode),
        #[error("g")]
        Failed(::serde_json::Error),
    }
}

#[test]
fn namesakes_and_types_without_a_value_pass() {
    assert_eq!(marks::<namesakes::ShopError>().len(), 7);
}
