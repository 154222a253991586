//! What an HTTP status proves.
//!
//! The table stands in both crates, for a literal is judged by the macro and a constant by the compiler, and the two
//! crates are published apart; a test holds the two files equal.

/// Whether an error with this status may be marked as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A definite answer.
    Freely,
    /// An answer in some systems only, so that the mark needs a reason.
    OnlyWithReason,
    /// Never an answer of the remote system to this question.
    Never,
}

/// The class of a status, or `None` for a number that is no HTTP status.
pub(crate) const fn class(status: u16) -> Option<Class> {
    match status {
        100..=299 | 407 | 408 | 420 | 421 | 425 | 429 | 444 | 499 | 500..=599 => Some(Class::Never),
        304 | 402 | 403 | 404 | 409 | 410 | 412 | 413 | 415 | 416 | 422 | 423 | 428 | 451 => Some(Class::Freely),
        300..=499 => Some(Class::OnlyWithReason),
        _ => None,
    }
}

/// What the status means, and why it does not simply prove an answer: a sentence about it. Empty for one that does.
pub(crate) const fn meaning(status: u16) -> &'static str {
    match status {
        100..=199 => "a 1xx is no final answer",
        200..=299 => "a 2xx is a success, so an error made of it means that the body could not be used",
        304 => "",
        300..=399 => "a 3xx points elsewhere, as login pages, captive portals and moved hosts do",
        400 => "400 Bad Request says that the request was not understood, and front ends send it too",
        401 => "401 Unauthorized says that the credentials did not work, and gateways send it too",
        405 => "405 Method Not Allowed is a routing fault, mostly answered by a router in front of the system",
        406 => "406 Not Acceptable is a fault of content negotiation, mostly found by the server's framework",
        407 => "407 Proxy Authentication Required is the answer of a proxy, not of the remote system",
        408 => "408 Request Timeout is a timeout",
        411 => "411 Length Required is mostly sent by a front end",
        414 => "414 URI Too Long is mostly sent by a front end",
        417 => "417 Expectation Failed is mostly sent by a front end",
        418 => "418 is what firewalls and rate limiters send",
        419 | 440 | 498 => "this status says that a session or token has expired, so the credentials did not work",
        420 | 429 => "this status is a rate limit, which is overload and not an answer",
        421 => "421 Misdirected Request is a fault of the connection",
        424 => "424 Failed Dependency may speak of a broken system behind the remote one",
        425 => "425 Too Early asks to send the request again",
        426 => "426 Upgrade Required is a disagreement about the protocol",
        430 | 431 => "this status rejects the headers, mostly by a front end",
        444 => "444 says that the server closed the connection without an answer",
        499 => "499 says that the caller went away before there was an answer",
        500 => "500 Internal Server Error is a fault of the server",
        501 => "501 Not Implemented is a fault of the server by its class",
        502 => "502 Bad Gateway says that the system behind the gateway did not answer",
        503 => "503 Service Unavailable says that the system cannot answer now",
        504 => "504 Gateway Timeout is a timeout",
        511 => "511 Network Authentication Required is sent by a captive portal",
        520..=527 | 530 => "this status is sent by an edge server whose origin did not answer",
        598 | 599 => "this status is the timeout of a proxy",
        500..=599 => "a 5xx is a fault of the server",
        _ => match class(status) {
            Some(Class::Freely) => "",
            Some(_) => "this status has no settled meaning",
            None => "an HTTP status lies between 100 and 599",
        },
    }
}
