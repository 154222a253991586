//! Lower bounds of the cost of a call: without a circuit breaker, and with a minimal one.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::remote::{ShopError, Stock, stock};
use crate::subject::Subject;

/// The call without a guard.
pub struct BareCall;

impl Subject for BareCall {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Self::Output {
        stock(article).await
    }
}

/// The least that a breaker has to do if it also handles dropped calls: it reads that the circuit is closed, keeps a
/// guard during the call, and reads that the state has not changed.
#[derive(Default)]
pub struct MinimalBreaker {
    state: AtomicU64,
    /// The number of times that a real breaker would have left its fast path.
    slow_paths: AtomicU64,
}

struct DropGuard<'b> {
    breaker: &'b MinimalBreaker,
    state: u64,
    settled: bool,
}

impl DropGuard<'_> {
    #[inline]
    fn settle(&mut self) {
        self.settled = true;
        if self.breaker.state.load(Ordering::Acquire) != self.state {
            self.breaker.take_slow_path();
        }
    }
}

impl Drop for DropGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.settled {
            self.breaker.take_slow_path();
        }
    }
}

impl MinimalBreaker {
    #[cold]
    fn take_slow_path(&self) {
        self.slow_paths.fetch_add(1, Ordering::Relaxed);
    }
}

impl Subject for MinimalBreaker {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Self::Output {
        let state = self.state.load(Ordering::Acquire);
        if state & 7 != 0 {
            self.take_slow_path();
            return Err(ShopError::Down);
        }
        let mut guard = DropGuard { breaker: self, state, settled: false };
        let result = stock(article).await;
        if result.is_err() {
            self.take_slow_path();
        }
        guard.settle();
        result
    }
}
