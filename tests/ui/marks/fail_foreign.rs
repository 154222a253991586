//! Errors of other crates that can never prove an answer, each known through its feature.

use breaker_core::ProvesReachable;
use http::StatusCode;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable(status = StatusCode::NOT_FOUND)]
    NoContact(#[from] reqwest::Error),
    #[error("b")]
    #[reachable]
    NoOrder(Option<Box<serde_json::Error>>),
    #[error("c")]
    #[reachable]
    NoCart(#[from] tokio::time::error::Elapsed),
    #[error("d")]
    #[reachable]
    NoItem(http::Error),
    #[error("e")]
    #[reachable]
    NoTag(h2::Error),
    #[error("f")]
    #[reachable]
    NoPage(#[from] hyper_util::client::legacy::Error),
    #[error("g")]
    #[reachable]
    NoSeat(Box<tungstenite::Error>),
}

fn main() {}
