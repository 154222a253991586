//! The cases of breaker-core.

use std::cell::Cell;

use breaker_core::fleet::{CircuitReport, Fleet, Link};
use breaker_core::{Circuit, Registry, breaker};

use crate::remote::{IN_STOCK, Stock, stock, stock_now};
use crate::subject::Subject;

/// The annotation, with a held circuit.
pub struct Held(pub Circuit);

impl Held {
    #[breaker(connection = self.0)]
    #[inline]
    async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

impl Subject for Held {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.stock(article)
    }
}

/// The annotation on a plain function, with a held circuit.
pub struct HeldPlain(pub Circuit);

impl HeldPlain {
    #[breaker(connection = self.0)]
    #[inline]
    fn stock(&self, article: u64) -> Stock {
        stock_now(article)
    }
}

impl Subject for HeldPlain {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Stock {
        self.stock(article)
    }
}

/// A fleet that never sends an update.
pub struct Elsewhere;

impl Fleet for Elsewhere {
    fn join(&self, _: Link) -> bool {
        true
    }

    fn publish(&self, _: CircuitReport) {}
}

/// `Circuit::call_async`.
pub struct CallAsync(pub Circuit);

impl Subject for CallAsync {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.0.call_async(stock(article))
    }
}

/// `Circuit::call`.
pub struct Call(pub Circuit);

impl Subject for Call {
    type Output = Stock;

    #[inline]
    async fn call(&self, article: u64) -> Stock {
        self.0.call(|| stock_now(article))
    }
}

/// An annotated function that calls another one, on one connection that holds its circuit.
pub struct Nested(pub Circuit);

impl Nested {
    #[breaker(connection = self.0)]
    #[inline]
    async fn outer(&self, article: u64) -> Stock {
        self.inner(article).await
    }

    #[breaker(connection = self.0)]
    #[inline]
    async fn inner(&self, article: u64) -> Stock {
        stock(article).await
    }
}

impl Subject for Nested {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.outer(article)
    }
}

/// The annotation, with a look-up in an injected registry.
pub struct Keyed<C> {
    pub connection: C,
    pub registry: Registry,
}

impl<C: breaker_core::Connection> Keyed<C> {
    /// One guarded call.
    ///
    /// # Errors
    ///
    /// The error of the shop, or a rejection.
    #[breaker(connection = self.connection, registry = self.registry)]
    #[inline]
    pub async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

impl<C: breaker_core::Connection + Sync> Subject for Keyed<C> {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.stock(article)
    }
}

/// Like [`Keyed`], with another one of many keys in each call: more keys than the cache of a thread holds.
pub struct ManyKeys {
    keys: Vec<String>,
    registry: Registry,
}

thread_local! {
    static LATEST: Cell<usize> = const { Cell::new(0) };
}

impl ManyKeys {
    /// A stride that visits every key once, in an order that defeats caches.
    const STRIDE: usize = 7_919;

    /// The circuits exist from the start.
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
    #[inline]
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
}

/// The annotation, with a look-up in the global registry.
pub struct Global(pub &'static str);

impl Global {
    #[breaker(connection = self.0)]
    #[inline]
    async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

impl Subject for Global {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.stock(article)
    }
}

/// Guarded calls that call each other.
pub struct Chain(pub Circuit);

#[expect(clippy::missing_errors_doc, reason = "the outcome of each is the shop's or a rejection")]
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

/// A call whose body keeps a large value across an `await`.
pub struct Large(pub Circuit);

#[expect(clippy::missing_errors_doc, reason = "the outcome of each is the shop's or a rejection")]
impl Large {
    pub async fn bare(&self) -> Stock {
        let held = [0_u8; 4_096];
        let stock = stock(IN_STOCK).await;
        std::hint::black_box(&held);
        stock
    }

    #[breaker(connection = self.0)]
    pub async fn guarded(&self) -> Stock {
        let held = [0_u8; 4_096];
        let stock = stock(IN_STOCK).await;
        std::hint::black_box(&held);
        stock
    }
}
