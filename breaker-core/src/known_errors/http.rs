//! Types of `http` in marked errors: parts of a message may fill a field, errors of parsing never do.

use crate::evidence::{MarkedPayload, NeverReachable};

impl NeverReachable for http::Error {}
impl NeverReachable for http::header::InvalidHeaderName {}
impl NeverReachable for http::header::InvalidHeaderValue {}
impl NeverReachable for http::header::ToStrError {}
impl NeverReachable for http::method::InvalidMethod {}
impl NeverReachable for http::status::InvalidStatusCode {}
impl NeverReachable for http::uri::InvalidUri {}
impl NeverReachable for http::uri::InvalidUriParts {}

// Not for `http::StatusCode`, whose value decides whether it is an answer.
impl MarkedPayload for http::HeaderMap {}
impl MarkedPayload for http::HeaderName {}
impl MarkedPayload for http::HeaderValue {}
impl MarkedPayload for http::Method {}
impl MarkedPayload for http::Uri {}
