//! The remote system that every case calls: it does nothing but give the asked-for outcome.

use std::hint::black_box;

use breaker_core::{CircuitOpen, Evidence, ProvesReachable};

/// An article that is in stock.
pub const IN_STOCK: u64 = 8;
/// An article that the shop does not have: an error that proves reachability.
pub const MISSING: u64 = 1;
/// The request that the shop does not survive: an error that counts.
pub const POISON: u64 = 2;

/// What a call of the shop may return: the error type of a program that uses breaker-core, for all.
#[derive(Debug, thiserror::Error)]
pub enum ShopError {
    #[error("no such article")]
    NoSuchArticle,
    #[error("the shop is down")]
    Down,
    /// What some rivals have to be told to return in place of a call.
    #[error("rejected")]
    Refused,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

impl ProvesReachable for ShopError {
    fn evidence(&self) -> Evidence {
        match self {
            Self::NoSuchArticle => Evidence::Answered,
            Self::Down => Evidence::Failed,
            Self::Refused | Self::Rejected(_) => Evidence::Unknown,
        }
    }
}

pub type Stock = Result<u64, ShopError>;

/// Asks the shop how many pieces of an article are left.
///
/// # Errors
///
/// The error that the number of the article asks for.
#[inline]
pub async fn stock(article: u64) -> Stock {
    stock_now(article)
}

/// As [`stock`], without a future.
///
/// # Errors
///
/// The error that the number of the article asks for.
#[inline]
pub fn stock_now(article: u64) -> Stock {
    match black_box(article) {
        MISSING => Err(ShopError::NoSuchArticle),
        POISON => Err(ShopError::Down),
        other => Ok(other),
    }
}
