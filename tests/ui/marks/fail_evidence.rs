//! Fields whose own value decides: errors with evidence, and HTTP statuses.

use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;

use breaker_core::{Evidence, ProvesReachable};

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum Ledger {
    #[error("no account")]
    #[reachable(status = 404)]
    NoAccount,
    #[error("io")]
    Io(#[from] std::io::Error),
}

#[derive(Debug, thiserror::Error)]
#[error("by hand")]
pub struct ByHand;

impl ProvesReachable for ByHand {
    fn evidence(&self) -> Evidence {
        Evidence::Failed
    }
}

type Inner = Ledger;
type Code = http::StatusCode;
type Number = u16;

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum ShopError {
    #[error("a")]
    #[reachable]
    NoAccount(#[from] Ledger),
    #[error("b")]
    #[reachable(status = 404)]
    NoOrder { id: u64, cause: Option<Arc<Inner>> },
    #[error("c")]
    #[reachable]
    NoCart(Vec<ByHand>, Rc<Ledger>),
    #[error("d")]
    #[reachable]
    NoItem((u8, Ledger)),
    #[error("e")]
    #[reachable]
    NoGrpc(#[from] tonic::Status),
    #[error("f")]
    #[reachable]
    NoStatus(http::StatusCode),
    #[error("g")]
    #[reachable]
    NoAlias(Option<Code>),
    #[error("h")]
    #[reachable]
    NoNumber { status: u16 },
    #[error("i")]
    #[reachable]
    NoNumbers { status_code: Option<Number>, http_status: NonZero<u32> },
    #[error("j")]
    #[reachable]
    NoRow(#[from] sqlx::Error),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("order")]
pub struct OrderDeclined(#[from] Ledger);

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("all")]
#[reachable]
pub enum All {
    Gone(Ledger),
    Rejected(#[from] breaker_core::CircuitOpen),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum NoReasonNeeded {
    #[error("a")]
    #[reachable(because = "idle")]
    NotFound(String, Vec<u8>),
    #[error("b")]
    #[reachable(unknown, because = "idle")]
    Withdrawn(String),
}

/// Stands for the crate.
mod sqlx {
    #[derive(Debug, thiserror::Error)]
    #[error("sqlx")]
    pub struct Error;
}

fn main() {}
