//! The subjects that call the shop through breaker-core.

use std::cell::Cell;

use breaker_core::fleet::{CircuitReport, Fleet, Link};
use breaker_core::{Circuit, Registry, breaker};

use crate::remote::{IN_STOCK, Stock, stock, stock_now};
use crate::subject::{Subject, subject};

/// An annotated function whose connection is a handle that the caller holds, so that no look-up is needed.
pub struct HeldHandle(pub Circuit);

impl HeldHandle {
    #[breaker(connection = self.0)]
    async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

subject!(HeldHandle, Stock, |this, article| this.stock(article));

/// An annotated function that is not async, with a held handle.
pub struct HeldHandleInPlainFn(pub Circuit);

impl HeldHandleInPlainFn {
    #[breaker(connection = self.0)]
    fn stock(&self, article: u64) -> Stock {
        stock_now(article)
    }
}

impl Subject for HeldHandleInPlainFn {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Stock {
        self.stock(article)
    }
}

/// A fleet that ignores every report and never sends an update.
pub struct SilentFleet;

impl Fleet for SilentFleet {
    fn join(&self, _: Link) -> bool {
        true
    }

    fn publish(&self, _: CircuitReport) {}
}

/// `Circuit::call_async`.
pub struct CallAsync(pub Circuit);

subject!(CallAsync, Stock, |this, article| this.0.call_async(stock(article)));

/// `Circuit::call`.
pub struct Call(pub Circuit);

impl Subject for Call {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Stock {
        self.0.call(|| stock_now(article))
    }
}

/// An annotated function that calls another one of the same circuit.
pub struct Nested(pub Circuit);

impl Nested {
    #[breaker(connection = self.0)]
    async fn outer(&self, article: u64) -> Stock {
        self.inner(article).await
    }

    #[breaker(connection = self.0)]
    async fn inner(&self, article: u64) -> Stock {
        stock(article).await
    }
}

subject!(Nested, Stock, |this, article| this.outer(article));

/// An annotated function whose circuit is looked up by key in an injected registry.
pub struct ByKey<C> {
    pub connection: C,
    pub registry: Registry,
}

impl<C: breaker_core::Connection> ByKey<C> {
    /// Makes one guarded call.
    ///
    /// # Errors
    ///
    /// The error of the shop, or a rejection.
    #[breaker(connection = self.connection, registry = self.registry)]
    pub async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

impl<C: breaker_core::Connection + Sync> Subject for ByKey<C> {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.stock(article)
    }
}

/// The same as [`ByKey`] with a different key in each call. There are more keys than the cache of a thread holds.
pub struct ManyKeys {
    keys: Vec<String>,
    registry: Registry,
}

thread_local! {
    static LATEST: Cell<usize> = const { Cell::new(0) };
}

impl ManyKeys {
    /// A stride that visits every key once before it repeats, in an order that no cache predicts.
    const STRIDE: usize = 7_919;

    /// Creates the circuits of all keys.
    ///
    /// # Panics
    ///
    /// If a setting is out of range, which does not happen.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let registry = Registry::builder().capacity(2 * count).build().expect("in range");
        let keys: Vec<_> = (0..count).map(|number| format!("shop-{number}")).collect();
        for key in &keys {
            drop(registry.circuit(key.as_str()));
        }
        Self { keys, registry }
    }

    #[breaker(connection = connection, registry = self.registry)]
    async fn stock(&self, connection: &str, article: u64) -> Stock {
        stock(article).await
    }
}

impl Subject for ManyKeys {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        let latest = (LATEST.get() + Self::STRIDE) % self.keys.len();
        LATEST.set(latest);
        self.stock(&self.keys[latest], article)
    }

    fn warm_up_calls(&self) -> usize {
        4 * self.keys.len()
    }
}

/// An annotated function whose circuit is looked up by key in the global registry.
pub struct ByKeyInGlobalRegistry(pub &'static str);

impl ByKeyInGlobalRegistry {
    #[breaker(connection = self.0)]
    async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

subject!(ByKeyInGlobalRegistry, Stock, |this, article| this.stock(article));

/// Ten annotated functions. Each calls the one before it, and the first calls the shop.
pub struct Chain(pub Circuit);

#[expect(clippy::missing_errors_doc, reason = "every function returns an error of the shop or a rejection")]
impl Chain {
    pub async fn bare(&self) -> Stock {
        stock(IN_STOCK).await
    }

    #[breaker(connection = self.0)]
    pub async fn first(&self) -> Stock {
        stock(IN_STOCK).await
    }

    #[breaker(connection = self.0)]
    pub async fn second(&self) -> Stock {
        self.first().await
    }

    #[breaker(connection = self.0)]
    pub async fn third(&self) -> Stock {
        self.second().await
    }

    #[breaker(connection = self.0)]
    pub async fn fourth(&self) -> Stock {
        self.third().await
    }

    #[breaker(connection = self.0)]
    pub async fn fifth(&self) -> Stock {
        self.fourth().await
    }

    #[breaker(connection = self.0)]
    pub async fn sixth(&self) -> Stock {
        self.fifth().await
    }

    #[breaker(connection = self.0)]
    pub async fn seventh(&self) -> Stock {
        self.sixth().await
    }

    #[breaker(connection = self.0)]
    pub async fn eighth(&self) -> Stock {
        self.seventh().await
    }

    #[breaker(connection = self.0)]
    pub async fn ninth(&self) -> Stock {
        self.eighth().await
    }

    #[breaker(connection = self.0)]
    pub async fn tenth(&self) -> Stock {
        self.ninth().await
    }
}

/// A call whose body keeps 4,096 bytes across an `await`.
pub struct LargeBody(pub Circuit);

#[expect(clippy::missing_errors_doc, reason = "every function returns an error of the shop or a rejection")]
impl LargeBody {
    pub async fn bare(&self) -> Stock {
        let buffer = [0_u8; 4_096];
        let stock = stock(IN_STOCK).await;
        std::hint::black_box(&buffer);
        stock
    }

    #[breaker(connection = self.0)]
    pub async fn guarded(&self) -> Stock {
        let buffer = [0_u8; 4_096];
        let stock = stock(IN_STOCK).await;
        std::hint::black_box(&buffer);
        stock
    }
}
