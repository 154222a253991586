//! A constant status of another type than `u16`.

use breaker_core::ProvesReachable;

const TOO_LARGE: i32 = 413;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable(status = TOO_LARGE)]
    NoCart,
}

fn main() {}
