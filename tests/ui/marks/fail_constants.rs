//! Constant statuses, which the compiler evaluates.

use breaker_core::ProvesReachable;

const NOT_FOUND: u16 = 404;
const BAD_REQUEST: u16 = 400;
const UNAVAILABLE: u16 = 503;

mod codes {
    pub const NONSENSE: u16 = 4;
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable(status = UNAVAILABLE)]
    NoAccount,
    #[error("b")]
    #[reachable(status = BAD_REQUEST)]
    InvalidCoupon,
    #[error("c")]
    #[reachable(status = [NOT_FOUND, 500 + 4])]
    NoContact,
    #[error("d")]
    #[reachable(status = codes::NONSENSE)]
    NoOrder,
    #[error("e")]
    #[reachable(status = NOT_FOUND, because = "this status may be marked freely")]
    NoItem,
    #[error("f")]
    #[reachable(status = http::StatusCode::GATEWAY_TIMEOUT)]
    NoCart,
    #[error("h")]
    #[reachable(status = [NOT_FOUND, NOT_FOUND])]
    NoPage,
    #[error("i")]
    #[reachable(status = [404, 410, http::StatusCode::NOT_FOUND])]
    NoTag,
    #[error("j")]
    #[reachable(status = [http::StatusCode::GONE, 404, 410])]
    NoSeat,
    #[error("g")]
    #[reachable(status = [BAD_REQUEST, NOT_FOUND, 410], because = "the shop answers an invalid coupon with 400")]
    Sound,
}

fn main() {}
