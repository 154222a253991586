//! The remote system of every case, which only returns the requested outcome.

use std::hint::black_box;

use breaker_core::{CircuitOpen, Evidence, ProvesReachable};

/// An article in stock.
pub const IN_STOCK: u64 = 8;
/// An article that the shop does not have: an error that proves an answer.
pub const MISSING: u64 = 1;
/// A request that makes the shop fail: an error that counts.
pub const POISON: u64 = 2;

/// The errors of a call of the shop: the error type of a program that uses breaker-core, for all cases.
#[derive(Debug, thiserror::Error)]
pub enum ShopError {
    #[error("no such article")]
    NoSuchArticle,
    #[error("the shop is down")]
    Down,
    /// The error for rivals that need one for a rejection.
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

/// Asks the shop for the stock of an article.
///
/// # Errors
///
/// The error that the number of the article selects.
#[inline]
pub async fn stock(article: u64) -> Stock {
    stock_now(article)
}

/// The same as [`stock`] without a future.
///
/// # Errors
///
/// The error that the number of the article selects.
#[inline]
pub fn stock_now(article: u64) -> Stock {
    match black_box(article) {
        MISSING => Err(ShopError::NoSuchArticle),
        POISON => Err(ShopError::Down),
        other => Ok(other),
    }
}
