//! Faults that `unknown` would hide.

use breaker_core::{Evidence, ProvesReachable};

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum ShopError {
    #[error("a")]
    #[reachable(unknown)]
    Timeout,
    #[error("b")]
    #[reachable(unknown)]
    ServiceUnavailable,
    #[error("c")]
    #[reachable(unknown)]
    ConnectionRefused(#[from] reqwest::Error),
    #[error("d")]
    #[reachable(unknown)]
    Http502 { body: String },
    #[error("e")]
    #[reachable(unknown)]
    NotSent(#[from] std::io::Error),
    #[error("f")]
    #[reachable(unknown)]
    Unclear(Option<Box<Inner>>),
    #[error("g")]
    #[reachable(unknown)]
    ServerOverloaded,
    #[error("h")]
    #[reachable(unknown)]
    Http { status: u16 },
    #[error("could not connect to the shop")]
    #[reachable(unknown)]
    Skipped,
    #[error("i")]
    #[reachable(unknown, because = "a limit of calls needs no reason")]
    RateLimited,
}

#[derive(Debug, thiserror::Error)]
#[error("by hand")]
pub struct Inner;

impl ProvesReachable for Inner {
    fn evidence(&self) -> Evidence {
        Evidence::Failed
    }
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
#[reachable(unknown)]
pub struct ReadTimeout;

fn main() {}
