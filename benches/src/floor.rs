//! Lower bounds for the cost of any circuit breaker.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::remote::{ShopError, Stock, stock};
use crate::subject::Subject;

/// The call itself, unguarded.
pub struct Bare;

impl Subject for Bare {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Self::Output {
        stock(article).await
    }
}

/// The minimum for a breaker that handles dropped calls: check whether the circuit is closed, keep a guard, and check
/// whether the state is unchanged.
#[derive(Default)]
pub struct Floor {
    word: AtomicU64,
    slow: AtomicU64,
}

struct Guard<'f> {
    floor: &'f Floor,
    word: u64,
    settled: bool,
}

impl Guard<'_> {
    #[inline]
    fn settle(&mut self) {
        self.settled = true;
        if self.floor.word.load(Ordering::Acquire) != self.word {
            self.floor.note();
        }
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.settled {
            self.floor.note();
        }
    }
}

impl Floor {
    #[cold]
    fn note(&self) {
        self.slow.fetch_add(1, Ordering::Relaxed);
    }
}

impl Subject for Floor {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Self::Output {
        let word = self.word.load(Ordering::Acquire);
        if word & 7 != 0 {
            self.note();
            return Err(ShopError::Down);
        }
        let mut guard = Guard { floor: self, word, settled: false };
        let result = stock(article).await;
        if result.is_err() {
            self.note();
        }
        guard.settle();
        result
    }
}
