//! The remote system that every case calls: a shop that returns the requested outcome at once.

use std::hint::black_box;

use breaker_core::{CircuitOpen, Evidence, ProvesReachable};

/// An article in stock.
pub const IN_STOCK: u64 = 8;
/// An article that the shop does not have. The error is marked as an answer.
pub const MISSING: u64 = 1;
/// An article for which the shop fails. The error counts as a failure.
pub const FAILING: u64 = 2;

/// The error type of all cases. A rejection is one of its variants, as in a program that uses breaker-core.
#[derive(Debug, thiserror::Error)]
pub enum ShopError {
    #[error("no such article")]
    NoSuchArticle,
    #[error("the shop is down")]
    Down,
    /// The rejection by a rival that requires an error of the caller for it.
    #[error("rejected")]
    RejectedByRival,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

impl ProvesReachable for ShopError {
    fn evidence(&self) -> Evidence {
        match self {
            Self::NoSuchArticle => Evidence::Answered,
            Self::Down => Evidence::Failed,
            Self::RejectedByRival | Self::Rejected(_) => Evidence::Unknown,
        }
    }
}

/// The number of pieces of an article, or the error of the call.
pub type Stock = Result<u64, ShopError>;

/// Requests the stock of an article.
///
/// # Errors
///
/// The error that the number of the article selects.
#[inline]
pub async fn stock(article: u64) -> Stock {
    stock_now(article)
}

/// The same as [`stock`], but not async.
///
/// # Errors
///
/// The error that the number of the article selects.
#[inline]
pub fn stock_now(article: u64) -> Stock {
    match black_box(article) {
        MISSING => Err(ShopError::NoSuchArticle),
        FAILING => Err(ShopError::Down),
        other => Ok(other),
    }
}
