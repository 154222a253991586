//! Values that carry the HTTP status of a response.

use std::sync::Arc;

use http::StatusCode;
use http::response::{Parts, Response};

/// A value that carries the HTTP status of a response.
///
/// An annotated function that returns such a value with `Ok` is judged by the status, and so is
/// [`Circuit::call_response`](crate::Circuit::call_response). The value reaches the caller unchanged.
///
/// It is implemented for `http::Response` (which axum, hyper and tonic use too), `http::StatusCode`,
/// `reqwest::Response` (0.13 with the feature `reqwest`, 0.12 with `reqwest-0-12`), and for these in a `Box`, an `Arc` or an `Option`. Implement it for a
/// response type of your own:
///
/// ```
/// use breaker_core::CarriesStatus;
///
/// struct LedgerReply { code: u16 }
///
/// impl CarriesStatus for LedgerReply {
///     fn carried_status(&self) -> Option<u16> {
///         Some(self.code)
///     }
/// }
/// # let _ = LedgerReply { code: 200 }.carried_status();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no HTTP status",
    label = "not `CarriesStatus`",
    note = "`CarriesStatus` is implemented for `http::Response`, for `reqwest::Response` of 0.13 with the feature `reqwest`, of 0.12 with `reqwest-0-12`; implement it for a response type of your own",
    note = "for a tower service without HTTP statuses, use `.judged_by(..)` or `.errors_only()` on the layer"
)]
pub trait CarriesStatus {
    /// Returns the status, or `None` where this value has none.
    fn carried_status(&self) -> Option<u16>;
}

impl<B> CarriesStatus for Response<B> {
    fn carried_status(&self) -> Option<u16> {
        self.status().carried_status()
    }
}

impl CarriesStatus for Parts {
    fn carried_status(&self) -> Option<u16> {
        self.status.carried_status()
    }
}

#[cfg(feature = "reqwest-0-12")]
impl CarriesStatus for reqwest_0_12::Response {
    fn carried_status(&self) -> Option<u16> {
        Some(self.status().as_u16())
    }
}

#[cfg(feature = "reqwest")]
impl CarriesStatus for reqwest::Response {
    fn carried_status(&self) -> Option<u16> {
        Some(self.status().as_u16())
    }
}

impl CarriesStatus for StatusCode {
    fn carried_status(&self) -> Option<u16> {
        Some(self.as_u16())
    }
}

impl<R: CarriesStatus> CarriesStatus for Option<R> {
    fn carried_status(&self) -> Option<u16> {
        self.as_ref().and_then(R::carried_status)
    }
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<R: CarriesStatus + ?Sized> CarriesStatus for $pointer {
            fn carried_status(&self) -> Option<u16> {
                (**self).carried_status()
            }
        }
    )*};
}

pointers!(&R &mut R Box<R> Arc<R>);
