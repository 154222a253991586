//! Classes and meanings of HTTP statuses.
//!
//! Both crates contain this file, because the macro judges literals, the compiler judges constants, and the crates are
//! published separately. A test keeps the two files equal.

/// Whether an error with this status may be marked as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A definite answer.
    Freely,
    /// An answer in some systems only, so that the mark needs a reason.
    OnlyWithReason,
    /// A status that is never an answer of the remote system to this request.
    Never,
}

/// The error for a number without a class.
pub(crate) const NO_STATUS: &str = "this is not an HTTP status: statuses are from 100 to 599";

/// The class of a status, or `None` for a number outside 100 to 599.
pub(crate) const fn class(status: u16) -> Option<Class> {
    match status {
        407 | 408 | 420 | 421 | 425 | 429 | 444 | 460 | 463 | 494..=497 | 499 => Some(Class::Never),
        304 | 402 | 403 | 404 | 409 | 410 | 412 | 413 | 415 | 416 | 422 | 423 | 428 | 450 | 451 => Some(Class::Freely),
        300..=499 => Some(Class::OnlyWithReason),
        100..=599 => Some(Class::Never),
        _ => None,
    }
}

macro_rules! meanings {
    ($($statuses:pat => $meaning:literal,)*) => {
        /// The meaning of a status, and that it can never carry a mark.
        pub(crate) const fn never_because(status: u16) -> &'static str {
            match status {
                $($statuses => concat!($meaning, ": it can never be marked as an answer"),)*
                _ => "this status can never be marked as an answer",
            }
        }

        /// The meaning of a status, and that it needs a reason.
        pub(crate) const fn reason_needed_because(status: u16) -> &'static str {
            match status {
                $($statuses => concat!($meaning, ": it may be marked only with `because = \"...\"`"),)*
                _ => "this status has no settled meaning: it may be marked only with `because = \"...\"`",
            }
        }
    };
}

meanings! {
    300..=303 | 307 | 308 => "this status is a redirect, which login walls and captive portals send too",
    305 | 306 => "this status once referred the caller to a proxy and is no longer in use",
    400 => "400 Bad Request means that the request was not understood, and front ends send it too",
    401 => "401 Unauthorized means that the credentials did not work, and gateways send it too",
    405 => "405 Method Not Allowed is a routing fault, mostly answered by a router in front of the system",
    406 => "406 Not Acceptable is a fault of content negotiation, mostly found by the server's framework",
    407 => "407 Proxy Authentication Required is the answer of a proxy, not of the remote system",
    408 => "408 Request Timeout is a timeout",
    411 => "411 Length Required is mostly sent by a front end",
    414 => "414 URI Too Long is mostly sent by a front end",
    417 => "417 Expectation Failed is mostly sent by a front end",
    418 => "418 is what firewalls and rate limiters send",
    419 | 440 | 498 => "this status means that a session or token has expired, so the credentials did not work",
    420 | 429 => "this status is a rate limit, which is overload and not an answer",
    421 => "421 Misdirected Request is a fault of the connection",
    424 => "424 Failed Dependency may mean a broken system behind the remote one",
    425 => "425 Too Early asks to send the request again",
    426 => "426 Upgrade Required is a disagreement about the protocol",
    430 | 431 => "this status rejects the headers, mostly by a front end",
    444 => "444 means that the server closed the connection without an answer",
    460 => "460 means that the caller closed the connection before a load balancer had an answer",
    463 => "463 is an error of a load balancer about the addresses in a header",
    494 => "494 is an error of a front end about the size of the headers",
    495 | 496 => "this status means that a front end refused the client's certificate, which is a fault of TLS",
    497 => "497 means that plain HTTP was sent to a TLS port",
    499 => "499 means that the caller closed the connection before there was an answer",
    500 => "500 Internal Server Error is a fault of the server",
    501 => "501 Not Implemented is a fault of the server by its class",
    502 => "502 Bad Gateway means that the system behind the gateway did not answer",
    503 => "503 Service Unavailable means that the system cannot answer now",
    504 => "504 Gateway Timeout is a timeout",
    511 => "511 Network Authentication Required is sent by a captive portal",
    598 | 599 => "this status is the timeout of a proxy",
}
