//! Marks on error texts that mean a fault.

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("the request timed out after {0} s")]
    #[reachable]
    NotFound(u64),
    #[error("Connection refused")]
    #[reachable(status = 404)]
    NoContact,
    #[error("could not resolve host {host}")]
    #[reachable]
    NoOrder { host: String },
    #[error("bad TLS version")]
    #[reachable]
    NoCart,
    #[error("HTTP 503 from {0}")]
    #[reachable]
    NoItem(u8),
    #[error("HTTP 429")]
    #[reachable]
    NoPage,
    #[error("the server is overloaded")]
    #[reachable]
    NoStock,
    #[error("rate limit exceeded")]
    #[reachable]
    NoSeat,
    #[error("failed to deserialize the response")]
    #[reachable]
    NoRoom,
    #[error("the shop didn't respond")]
    #[reachable]
    NoTable,
    #[error("closed by the remote side")]
    #[reachable]
    NoTicket,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("network is unreachable")]
struct Gone;

macro_rules! by_macro {
    ($text:literal) => {
        #[derive(Debug, thiserror::Error, ProvesReachable)]
        #[error($text)]
        struct Sold;
    };
}

by_macro!("connection reset");

fn main() {}
