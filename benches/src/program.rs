//! Guarded calls as a user's program makes them. Each program that measures includes this file as a module, so that, as in
//! a user's program, the annotated methods are in the crate that calls them, without `#[inline]`.

use std::cell::Cell;

use breaker_benches::cases::{Runner, half_open};
use breaker_benches::remote::{FAILING, IN_STOCK, MISSING, Stock, stock};
use breaker_benches::subject::Subject;
use breaker_core::{Circuit, Config, Connection, Key, Registry, breaker};

/// The integration of one shop, with a handle to its circuit.
struct Shop {
    circuit: Circuit,
}

impl Shop {
    #[breaker(connection = self.circuit)]
    async fn stock(&self, article: u64) -> Stock {
        stock(article).await
    }
}

impl Subject for Shop {
    type Output = Stock;

    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.stock(article)
    }
}

/// The connection to one CRM. Its key is a pair.
struct CrmConnection {
    id: u64,
}

impl Connection for CrmConnection {
    fn key(&self) -> Key<'_> {
        Key::from(("crm", self.id))
    }
}

/// The integration of many CRMs, whose circuits are looked up by key.
struct Crms {
    connections: Vec<CrmConnection>,
    registry: Registry,
}

thread_local! {
    static LATEST: Cell<usize> = const { Cell::new(0) };
}

impl Crms {
    fn new(count: u64) -> Self {
        let connections = (0..count).map(|id| CrmConnection { id }).collect();
        Self { connections, registry: Registry::new(Config::default()) }
    }

    /// Returns another connection in each call, and each of them before one repeats.
    fn next(&self) -> &CrmConnection {
        /// Coprime to the measured numbers of connections, and far enough that no cache predicts the next connection.
        const STRIDE: usize = 7_919;
        // Unlike `with` and `get`, `try_with` is inlined. The call is to be measured and not the choice of its connection.
        let next = LATEST.try_with(|latest| {
            let next = (latest.get() + STRIDE) % self.connections.len();
            latest.set(next);
            next
        });
        &self.connections[next.unwrap_or_default()]
    }

    #[breaker(connection = connection, registry = self.registry)]
    async fn stock(&self, connection: &CrmConnection, article: u64) -> Stock {
        stock(article).await
    }
}

impl Subject for Crms {
    type Output = Stock;

    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.stock(self.next(), article)
    }

    fn warm_up_calls(&self) -> usize {
        4 * self.connections.len()
    }
}

/// Runs the cases of the program.
pub fn run(runner: &mut impl Runner) {
    let never_opening = || Config::builder().failure_threshold(u32::MAX).build().expect("in range");
    let shop = || Shop { circuit: Circuit::new("shop-7", never_opening()) };
    runner.run("program, held", &shop(), IN_STOCK);
    runner.run("program, pair key", &Crms::new(1), IN_STOCK);
    runner.run("program, 100 pair keys", &Crms::new(100), IN_STOCK);
    runner.run("program, 10,000 pair keys", &Crms::new(10_000), IN_STOCK);
    runner.run("program, marked", &shop(), MISSING);
    runner.run("program, failed", &shop(), FAILING);
    let open = shop();
    open.circuit.trip();
    runner.run("program, rejected", &open, IN_STOCK);
    let under_probe = half_open(1);
    let _probe = under_probe.try_acquire().expect("the only slot is free");
    runner.run("program, half-open, rejected", &Shop { circuit: under_probe }, IN_STOCK);
}
