//! Statuses, and the errors of parts of a message that cannot be read.

use http::StatusCode;

use crate::never::{MarkedPayload, NeverReachable};
use crate::private::marks::{RunTimeStatus, StatusGivenAs};

impl NeverReachable for http::Error {}
impl NeverReachable for http::header::InvalidHeaderName {}
impl NeverReachable for http::header::InvalidHeaderValue {}
impl NeverReachable for http::header::ToStrError {}
impl NeverReachable for http::method::InvalidMethod {}
impl NeverReachable for http::status::InvalidStatusCode {}
impl NeverReachable for http::uri::InvalidUri {}
impl NeverReachable for http::uri::InvalidUriParts {}

impl MarkedPayload for StatusCode {}
impl MarkedPayload for http::HeaderMap {}
impl MarkedPayload for http::HeaderName {}
impl MarkedPayload for http::HeaderValue {}
impl MarkedPayload for http::Method {}
impl MarkedPayload for http::Uri {}

/// For `#[reachable(status)]`.
impl RunTimeStatus for StatusCode {
    fn code(&self) -> Option<u16> {
        Some(self.as_u16())
    }
}

/// For `#[reachable(status = StatusCode::NOT_FOUND)]`.
impl StatusGivenAs<StatusCode> {
    /// The number.
    #[must_use]
    pub const fn must_be_u16_or_http_status_code(self) -> u16 {
        self.0.as_u16()
    }
}
