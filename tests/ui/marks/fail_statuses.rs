//! Statuses that prove nothing.

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable(status = 503)]
    Closed7,
    #[error("b")]
    #[reachable(status = 429, because = "no reason helps here")]
    Sold,
    #[error("c")]
    #[reachable(status = 200)]
    Empty,
    #[error("d")]
    #[reachable(status = 400)]
    InvalidCoupon,
    #[error("e")]
    #[reachable(status = 401)]
    WrongOwner,
    #[error("f")]
    #[reachable(status = [404, 504, 302])]
    Moved,
    #[error("g")]
    #[reachable(status = 4040)]
    NoContact,
    #[error("h")]
    #[reachable(status = 99)]
    NoOrder,
    #[error("i")]
    #[reachable(status = -1)]
    NoShop,
    #[error("j")]
    #[reachable(status = 70_000)]
    NoCart,
    #[error("k")]
    #[reachable(status = 404, because = "this status may be marked freely")]
    NoItem,
    #[error("l")]
    #[reachable(status = [404, 429])]
    NoCart2,
    #[error("m")]
    #[reachable(status = 402)]
    ReaderTimeout,
    #[error("n")]
    #[reachable(status = [402, 400], because = "only a status of an answer lifts such a name")]
    CardTimeout,
    #[error("o")]
    #[reachable(status = 504, because = "no reason helps here")]
    TerminalTimeout,
    #[error("p")]
    #[reachable(status = 404)]
    Http503,
}

fn main() {}
