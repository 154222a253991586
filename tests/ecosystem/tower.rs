//! The layer for tower services, and the middleware for `reqwest-middleware`.

use std::convert::Infallible;
use std::future::{Ready, pending, ready};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use crate::remote::{answering, no_listener};
use breaker_core::tower::{BoxError, BreakerLayer};
use breaker_core::{Circuit, CircuitOpen, Config, Evidence, Key, Registry, State};
use http::{Request, Response};
use tower::{Layer as _, Service, ServiceExt, service_fn};

fn breaking_at(threshold: u32) -> Config {
    Config::builder().failure_threshold(threshold).build().expect("a threshold")
}

fn request(host: &str) -> Request<()> {
    Request::get(format!("http://{host}/")).body(()).expect("a request")
}

fn host(request: &Request<()>) -> Key<'_> {
    Key::from(request.uri().host().unwrap_or_default())
}

/// Polls once, without a runtime.
fn poll<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn now<F: Future>(future: F) -> F::Output {
    match poll(future) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future is pending"),
    }
}

/// Answers with a given status and counts the requests.
#[derive(Clone)]
struct Shop {
    status: u16,
    asked: Arc<AtomicUsize>,
    called: Arc<AtomicUsize>,
}

impl Shop {
    fn new(status: u16) -> Self {
        Self { status, asked: Arc::default(), called: Arc::default() }
    }

    fn counts(&self) -> (usize, usize) {
        (self.asked.load(Ordering::SeqCst), self.called.load(Ordering::SeqCst))
    }
}

impl<B> Service<Request<B>> for Shop {
    type Response = Response<&'static str>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<B>) -> Self::Future {
        self.called.fetch_add(1, Ordering::SeqCst);
        ready(Ok(Response::builder().status(self.status).body("words").expect("a response")))
    }
}

#[test]
fn a_counted_status_counts_and_the_response_is_still_returned() {
    let shop = Shop::new(503);
    let registry = Registry::new(breaking_at(2));
    let service = BreakerLayer::new(host).registry(registry.clone()).layer(shop.clone());
    for _ in 0..2 {
        let response = now(service.clone().oneshot(request("shop-7"))).expect("a response");
        assert_eq!((response.status().as_u16(), *response.body()), (503, "words"));
    }
    assert_eq!(registry.get("shop-7").expect("it was called").state(), State::Open);

    // The circuit of the other connection is not affected.
    assert!(now(service.clone().oneshot(request("shop-8"))).is_ok());
    let counts = shop.counts();
    let error = now(service.oneshot(request("shop-7"))).expect_err("rejected");
    assert_eq!(error.downcast_ref::<CircuitOpen>().expect("a rejection").connection(), "shop-7");
    // Fails if the readiness of the inner service is polled before the circuit is checked.
    assert_eq!(shop.counts(), counts, "neither polled nor called");
}

#[test]
fn a_request_is_admitted_at_its_first_poll() {
    let circuit = Circuit::new("shop", breaking_at(1));
    let mut service = BreakerLayer::of(circuit.clone()).layer(Shop::new(200));
    now(ServiceExt::<Request<()>>::ready(&mut service)).expect("always ready");
    let early = service.call(request("shop"));
    circuit.hold_open();
    let never = service.call(request("shop"));
    drop(never);
    assert!(now(early).is_err(), "it was not admitted when it was created");
    assert_eq!(circuit.snapshot().rejected, 1);
}

#[test]
fn a_dropped_request_is_a_cancellation_and_releases_its_slot() {
    let clock = breaker_core::testing::ManualClock::new();
    let circuit = Circuit::with_clock("shop", breaking_at(1), clock.clone());
    circuit.trip();
    clock.advance(Config::default().cooldown());
    let hanging = service_fn(|_: Request<()>| pending::<Result<Response<()>, Infallible>>());
    assert!(poll(BreakerLayer::of(circuit.clone()).layer(hanging).oneshot(request("shop"))).is_pending());
    assert_eq!((circuit.state(), circuit.snapshot().dropped), (State::HalfOpen, 1));
    assert!(now(BreakerLayer::of(circuit.clone()).layer(Shop::new(200)).oneshot(request("shop"))).is_ok());
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn a_service_that_fails_to_become_ready_has_failed() {
    #[derive(Clone)]
    struct Broken;
    impl Service<Request<()>> for Broken {
        type Response = Response<()>;
        type Error = std::io::Error;
        type Future = Ready<std::io::Result<Response<()>>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
            Poll::Ready(Err(std::io::ErrorKind::ConnectionRefused.into()))
        }

        fn call(&mut self, _: Request<()>) -> Self::Future {
            unreachable!("it was not ready")
        }
    }
    let circuit = Circuit::new("shop", breaking_at(1));
    assert!(now(BreakerLayer::of(circuit.clone()).layer(Broken).oneshot(request("shop"))).is_err());
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn an_error_has_the_evidence_of_its_chain() {
    #[derive(Debug, thiserror::Error)]
    #[error("the shop said no")]
    struct Wrapped(#[source] BoxError);

    let evidence = |error: fn() -> BoxError| {
        let circuit = Circuit::new("shop", Config::default());
        let service = service_fn(move |_: Request<()>| ready(Err::<Response<()>, _>(error())));
        now(BreakerLayer::of(circuit.clone()).layer(service).oneshot(request("shop"))).expect_err("it fails");
        let seen = circuit.snapshot();
        (seen.failed, seen.unknown, seen.marked_answers)
    };
    let rejection = || -> CircuitOpen {
        let other = Circuit::new("bank", Config::default());
        other.hold_open();
        other.try_acquire().expect_err("held open")
    };
    assert_eq!(evidence(|| "it broke".into()), (1, 0, 0));
    assert_eq!(evidence(|| tonic::Status::not_found("no such article").into()), (0, 0, 1));
    assert_eq!(evidence(|| Wrapped(tonic::Status::not_found("no such article").into()).into()), (0, 0, 1));
    assert_eq!(evidence(|| tonic::Status::unavailable("down").into()), (1, 0, 0));
    let open: fn() -> BoxError = {
        static REJECTION: std::sync::OnceLock<CircuitOpen> = std::sync::OnceLock::new();
        REJECTION.get_or_init(rejection);
        || Wrapped(REJECTION.get().expect("it is set").clone().into()).into()
    };
    assert_eq!(evidence(open), (0, 1, 0));
}

/// A marked error is found again inside the errors of the layers between.
#[test]
fn marks_are_found_inside_a_box() {
    #[derive(Debug, thiserror::Error, breaker_core::ProvesReachable)]
    enum ShopError {
        #[error("no such article")]
        #[reachable(status = 404)]
        NoSuchArticle,
        #[error("not sent")]
        #[reachable(unknown)]
        NotSent,
        #[error("it broke")]
        Broken,
    }
    #[derive(Debug, thiserror::Error)]
    #[error("in a layer")]
    struct Wrapped(#[source] BoxError);

    let seen = |error: fn() -> BoxError| {
        let circuit = Circuit::new("shop", Config::default());
        let service = service_fn(move |_: Request<()>| ready(Err::<Response<()>, _>(error())));
        now(BreakerLayer::of(circuit.clone()).layer(service).oneshot(request("shop"))).expect_err("it fails");
        circuit.snapshot()
    };
    let answered = seen(|| ShopError::NoSuchArticle.into());
    assert_eq!(answered.marked_answers, 1);
    assert!(answered.last_answer.and_then(|last| last.error).is_some_and(|name| name.ends_with("ShopError")));
    assert_eq!(seen(|| Wrapped(ShopError::NoSuchArticle.into()).into()).marked_answers, 1);
    assert_eq!(seen(|| ShopError::NotSent.into()).unknown, 1);
    assert_eq!(seen(|| ShopError::Broken.into()).failed, 1);
}

#[test]
fn the_rule_of_the_circuit_applies_to_errors_of_any_type() {
    let rule = breaker_core::FailureRule::Transport { timeouts: true, connection_errors: true };
    let failed = |error: fn() -> BoxError| {
        let circuit = Circuit::new("shop", Config::builder().failure_rule(rule).build().expect("a configuration"));
        let service = service_fn(move |_: Request<()>| ready(Err::<Response<()>, _>(error())));
        now(BreakerLayer::of(circuit.clone()).layer(service).oneshot(request("shop"))).expect_err("it fails");
        circuit.snapshot().failed == 1
    };
    assert!(failed(|| "the bank timed out".into()));
    assert!(failed(|| std::io::Error::from(std::io::ErrorKind::ConnectionReset).into()));
    assert!(!failed(|| "card declined".into()));
    assert!(!failed(|| tonic::Status::internal("it broke").into()));
}

#[test]
fn a_service_without_http_is_judged_by_a_function_or_by_its_errors() {
    let service = || service_fn(|rows: usize| ready(Ok::<_, BoxError>(vec![0_u8; rows])));
    let circuit = Circuit::new("database", breaking_at(1));
    let layer = BreakerLayer::of(circuit.clone()).judged_by(|result: Result<&Vec<u8>, &BoxError>| match result {
        Ok(rows) if rows.is_empty() => Evidence::Failed,
        Ok(_) => Evidence::Answered,
        Err(_) => Evidence::Unknown,
    });
    assert_eq!(now(layer.layer(service()).oneshot(3)).expect("rows").len(), 3);
    assert_eq!(circuit.state(), State::Closed);
    now(layer.layer(service()).oneshot(0)).expect("no rows");
    assert_eq!(circuit.state(), State::Open);

    let circuit = Circuit::new("database", breaking_at(1));
    let layer = BreakerLayer::of(circuit.clone()).errors_only();
    now(layer.layer(service()).oneshot(0)).expect("no rows");
    let broken = service_fn(|_: usize| ready(Err::<Vec<u8>, BoxError>("it broke".into())));
    now(layer.layer(broken).oneshot(0)).expect_err("it broke");
    assert_eq!(circuit.state(), State::Open);
}

/// Real servers and a real client: `reqwest::Client` is a tower service.
#[tokio::test]
async fn a_reqwest_client_is_guarded_by_the_layer() {
    let (up, down) = (answering(404), answering(502));
    let registry = Registry::new(breaking_at(1));
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let service =
        BreakerLayer::new(|request: &reqwest::Request| Key::display(request.url().port().expect("a port on loopback")))
            .registry(registry.clone())
            .layer(client);
    let get = async |url: &str| {
        let request = reqwest::Request::new(reqwest::Method::GET, url.parse().expect("a URL"));
        // Does not compile if the future is not `Send`.
        tokio::spawn(service.clone().oneshot(request)).await.expect("it does not panic")
    };
    assert_eq!(get(&up.url()).await.expect("a response").status(), 404);
    assert_eq!(get(&down.url()).await.expect("a response").status(), 502);
    assert!(get(&down.url()).await.expect_err("rejected").is::<CircuitOpen>());
    assert_eq!(get(&up.url()).await.expect("a response").status(), 404);
    assert_eq!((up.connections(), down.connections()), (2, 1));
}

mod of_reqwest_middleware {
    use breaker_core::reqwest_middleware::BreakerMiddleware;
    use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error};

    use super::*;

    fn client<M: reqwest_middleware::Middleware>(middleware: M) -> ClientWithMiddleware {
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        ClientBuilder::new(client).with(middleware).build()
    }

    fn rejection(error: &Error) -> Option<&CircuitOpen> {
        match error {
            Error::Middleware(error) => error.downcast_ref(),
            Error::Reqwest(_) => None,
        }
    }

    #[tokio::test]
    async fn each_host_has_a_circuit_of_its_own() {
        let (up, down) = (answering(200), answering(503));
        let registry = Registry::new(breaking_at(2));
        let client = client(BreakerMiddleware::per_host().registry(registry.clone()));
        for _ in 0..2 {
            assert_eq!(client.get(down.url()).send().await.expect("a response").status(), 503);
        }
        let error = client.get(down.url()).send().await.expect_err("rejected");
        assert_eq!(rejection(&error).expect("a rejection").connection(), down.address.to_string());
        assert_eq!(client.get(up.url()).send().await.expect("a response").status(), 200);
        assert_eq!((up.connections(), down.connections()), (1, 2));
        assert_eq!(registry.len(), 2);
    }

    #[tokio::test]
    async fn a_closure_chooses_the_key_of_the_connection() {
        let registry = Registry::new(breaking_at(1));
        let client = client(
            BreakerMiddleware::new(|request| match request.headers().get("x-tenant") {
                Some(tenant) => Key::from(String::from_utf8_lossy(tenant.as_bytes())),
                None => Key::from("nobody"),
            })
            .registry(registry.clone()),
        );
        let refused = format!("http://{}/", no_listener());
        let get = |tenant: &'static str| client.get(&refused).header("x-tenant", tenant).send();
        assert!(matches!(get("tenant-7").await, Err(Error::Reqwest(_))), "the error is returned unchanged");
        assert!(rejection(&get("tenant-7").await.expect_err("rejected")).is_some());
        assert!(matches!(get("tenant-8").await, Err(Error::Reqwest(_))));
    }

    #[tokio::test]
    async fn one_circuit_may_guard_a_whole_client() {
        let circuit = Circuit::new("shop", breaking_at(1));
        let remote = answering(504);
        let client = client(BreakerMiddleware::of(circuit.clone()));
        client.get(remote.url()).send().await.expect("a response");
        assert_eq!(circuit.state(), State::Open);
        circuit.reset();
        // A request that cannot be sent proves nothing about the remote system.
        client.get("no url").send().await.expect_err("no URL");
        assert_eq!(circuit.state(), State::Closed);
    }

    #[tokio::test]
    async fn a_rejection_by_an_inner_middleware_is_never_evidence() {
        let (outer, inner) = (Circuit::new("gateway", breaking_at(1)), Circuit::new("shop", breaking_at(1)));
        inner.hold_open();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let client = ClientBuilder::new(client)
            .with(BreakerMiddleware::of(outer.clone()))
            .with(BreakerMiddleware::of(inner))
            .build();
        client.get(answering(200).url()).send().await.expect_err("rejected");
        assert_eq!((outer.state(), outer.snapshot().unknown), (State::Closed, 1));
    }
}
