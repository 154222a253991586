//! Mistakes that the macro sees and mistakes that only the compiler sees are reported together, and each mark once.

use breaker_core::ProvesReachable;

const UNAVAILABLE: u16 = 503;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable]
    ReadTimeout(std::io::Error),
    #[error("b")]
    #[reachable]
    NotFound(std::io::Error),
    #[error("c")]
    #[reachable(status = UNAVAILABLE)]
    NoContact,
    #[error("d")]
    #[reachable(status = [404, 504, 302])]
    NoOrder,
    #[error("e")]
    #[reachable(statu = 404)]
    NoCart(std::io::Error),
    // One mistake with two symptoms: reported once.
    #[error("g")]
    #[reachable(status = 408)]
    Timeout,
    #[error("h")]
    #[reachable(status = [504, 503])]
    Http503,
    // Two mistakes: both are reported.
    #[error("i")]
    #[reachable(status = 503)]
    WriteTimeout,
    #[error("f")]
    Answered(#[reachable(status)] String),
}

fn main() {}
