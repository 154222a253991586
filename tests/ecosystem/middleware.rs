//! The middleware for reqwest-middleware under and above other middlewares.

use std::error::Error as _;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use breaker_core::reqwest_middleware::BreakerMiddleware;
use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, CircuitOpen, Config, State, breaker, rejection};
use futures::FutureExt;
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error, Middleware, Next};
use reqwest_retry::RetryTransientMiddleware;
use reqwest_retry::policies::ExponentialBackoff;

use crate::remote::answering;

fn breaking_at(failures: u32) -> Config {
    Config::builder().failure_threshold(failures).build().unwrap()
}

fn builder() -> ClientBuilder {
    ClientBuilder::new(reqwest::Client::builder().no_proxy().build().expect("a client"))
}

fn retrying() -> RetryTransientMiddleware<ExponentialBackoff> {
    let none = std::time::Duration::ZERO;
    RetryTransientMiddleware::new_with_policy(
        ExponentialBackoff::builder().retry_bounds(none, none).build_with_max_retries(2),
    )
}

/// A middleware that adds a context to each error.
struct AddsContext;

#[async_trait::async_trait]
impl Middleware for AddsContext {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response, Error> {
        let sent = next.run(request, extensions).await;
        sent.map_err(|error| Error::Middleware(anyhow::Error::new(error).context("while syncing")))
    }
}

#[breaker(connection = *outer)]
async fn get(outer: &Circuit, client: &ClientWithMiddleware) -> Result<Response, Error> {
    client.get("http://127.0.0.1:1/").send().await
}

/// What a team writes around such a client.
#[derive(Debug, thiserror::Error, breaker_core::ProvesReachable)]
#[reachable(never)]
enum ShopError {
    #[error("no request")]
    Http(#[from] Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

#[breaker(connection = *outer)]
async fn get_as_a_team(outer: &Circuit, client: &ClientWithMiddleware) -> Result<Response, ShopError> {
    Ok(client.get("http://127.0.0.1:1/").send().await?)
}

#[breaker(connection = *outer)]
async fn get_with_anyhow(outer: &Circuit, client: &ClientWithMiddleware) -> anyhow::Result<Response> {
    Ok(client.get("http://127.0.0.1:1/").send().await?)
}

#[tokio::test]
async fn a_rejection_is_found_through_every_middleware() {
    let held = Circuit::new("shop", Config::default());
    held.hold_open();
    let breaker = || BreakerMiddleware::of(held.clone());
    for (name, client) in [
        ("alone", builder().with(breaker())),
        ("retry", builder().with(retrying()).with(breaker())),
        ("two retries", builder().with(retrying()).with(retrying()).with(breaker())),
        ("a context", builder().with(AddsContext).with(breaker())),
        ("retry and a context", builder().with(retrying()).with(AddsContext).with(retrying()).with(breaker())),
    ] {
        let client = client.build();
        let outer = Circuit::new("gateway", breaking_at(1));
        let error = get(&outer, &client).await.expect_err("rejected");
        assert_eq!(rejection(&error).expect(name).connection(), "shop");
        assert_eq!((outer.state(), outer.snapshot().unknown), (State::Closed, 1), "{name}");
        let error = get_as_a_team(&outer, &client).await.expect_err("rejected");
        assert!(rejection(&error).is_some(), "{name}");
        get_with_anyhow(&outer, &client).await.expect_err("rejected");
        assert_eq!((outer.state(), outer.snapshot().unknown), (State::Closed, 3), "{name}");
    }
    assert_eq!(held.snapshot().failed, 0);
}

/// Fails if the rejection is the error of the middleware itself: wrappers pass only the source of that on.
#[tokio::test]
async fn the_source_of_the_error_is_the_rejection() {
    let held = Circuit::new("shop", Config::default());
    held.hold_open();
    let client = builder().with(retrying()).with(BreakerMiddleware::of(held)).build();
    let error = client.get("http://127.0.0.1:1/").send().await.expect_err("rejected");
    assert!(error.source().expect("a source").is::<CircuitOpen>());
    let Error::Middleware(inner) = Error::from(rejection(&error).unwrap().clone()) else { panic!("of a middleware") };
    assert!(inner.is::<CircuitOpen>());
    assert!(inner.to_string().starts_with("the circuit of connection `shop` is open"), "{inner}");
}

#[tokio::test]
async fn a_retry_stops_at_a_rejection() {
    let circuit = Circuit::new("shop", breaking_at(2));
    let remote = answering(503);
    let client = builder().with(retrying()).with(BreakerMiddleware::of(circuit.clone())).build();
    let error = client.get(remote.url()).send().await.expect_err("rejected");
    assert!(rejection(&error).is_some());
    assert_eq!(remote.connections(), 2, "the third attempt was rejected");
}

/// A middleware that panics before it returns its future.
struct Panics;

impl Middleware for Panics {
    fn handle<'s, 'e, 'n, 'f>(
        &'s self,
        _: Request,
        _: &'e mut Extensions,
        _: Next<'n>,
    ) -> Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 'f>>
    where
        's: 'f,
        'e: 'f,
        'n: 'f,
        Self: 'f,
    {
        panic!("a middleware panics")
    }
}

#[tokio::test]
async fn a_panic_of_the_next_middleware_counts_and_frees_the_slot() {
    let clock = ManualClock::new();
    let circuit = Circuit::with_clock("shop", breaking_at(3), clock.clone());
    let client = builder().with(BreakerMiddleware::of(circuit.clone())).with(Panics).build();
    let send = || async {
        let sent = AssertUnwindSafe(client.get("http://127.0.0.1:1/").send()).catch_unwind().await;
        assert!(sent.is_err(), "the panic reaches the caller");
    };
    for failed in 1..=3 {
        send().await;
        assert_eq!(circuit.snapshot().failed, failed);
    }
    assert_eq!(circuit.state(), State::Open);
    for _ in 0..3 {
        clock.advance(Config::default().cooldown());
        assert_eq!(circuit.state(), State::HalfOpen);
        send().await;
        // Fails if the slot is kept: the circuit is half-open then, until the lease ends.
        assert_eq!(circuit.state(), State::Open);
    }
}
