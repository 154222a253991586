//! Errors of other crates in marked fields, whose features are off.

use breaker_core::ProvesReachable;

#[derive(Debug)]
pub struct Cause<E>(pub E);

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum ShopError {
    #[error("a")]
    #[reachable]
    Declined(#[from] serde_json::Error),
    #[error("b")]
    #[reachable(status = 404, because = "no reason lifts it")]
    NoOrder { id: u64, cause: Option<Box<::http::Error>> },
    #[error("c")]
    #[reachable]
    NoCart((u8, serde_json::error::Error), Cause<serde_json::Error>),
    #[error("d")]
    #[reachable]
    NoItem(&'static [serde_json::Result<u8>]),
    #[error("e")]
    #[reachable]
    NoStatus(http::StatusCode),
    #[error("f")]
    #[reachable(unknown)]
    NotSent(serde_json::Error),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("g")]
#[reachable]
pub enum All {
    Gone(std::sync::Arc<serde_json::Error>),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("h")]
pub struct Gone(#[from] http::header::ToStrError);

fn main() {}
