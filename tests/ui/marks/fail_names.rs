//! Marks on names that mean a fault.

#![allow(mixed_script_confusables)]

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable]
    ConnectTimeout,
    #[error("b")]
    #[reachable(because = "no reason helps here")]
    NotFoundTimeout,
    #[error("c")]
    #[reachable]
    TIMED_OUT,
    #[error("d")]
    #[reachable]
    InternalServerError,
    #[error("e")]
    #[reachable(because = "no reason helps here")]
    Http503,
    #[error("f")]
    #[reachable]
    ServiceUnavailable,
    #[error("g")]
    #[reachable]
    ConnectionRefused,
    #[error("h")]
    #[reachable]
    ServerOverloaded,
    #[error("i")]
    #[reachable]
    InvalidResponseBody,
    #[error("j")]
    #[reachable]
    Other,
    #[error("k")]
    #[reachable]
    BadRequest,
    #[error("k")]
    #[reachable]
    SERVICEUNREACHABLE,
    #[error("k")]
    #[reachable]
    Timeоut,
    #[error("l")]
    #[reachable(because = "this one is plainly an answer")]
    NotFound,
    #[error("m")]
    #[reachable(because = "")]
    Locked,
}

/// Refused for its name, whatever its field is.
#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ConnectTimeoutError {
    #[error("a")]
    #[reachable]
    NotFound,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
struct ReadTimeout;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
struct NetworkError;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable]
enum AllAnswers {
    #[error("a")]
    NotFound,
    #[error("b")]
    DeadlineExceeded,
    #[error("c")]
    HostUnreachable,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum LimitError {
    #[error("a")]
    #[reachable]
    TooManyRequests,
    #[error("b")]
    #[reachable]
    Throttled,
    #[error("c")]
    #[reachable(status = 404)]
    RateLimitReached,
}

fn main() {}
