//! Bodies of responses that are read as a part of the call.

use std::convert::Infallible;

use breaker_core::reqwest_middleware::BreakerMiddleware;
use breaker_core::tower::{BoxError, BreakerLayer};
use breaker_core::{Circuit, CircuitOpen, Config, PartOfCall, ProvesReachable, State, breaker};
use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Empty, Full, StreamBody};
use reqwest_middleware::ClientBuilder;
use tower::{Layer as _, ServiceExt as _, service_fn};

use crate::remote::{Remote, replying_with};

/// A server whose body breaks off.
fn breaking_off() -> Remote {
    replying_with("HTTP/1.1 200 OK\r\ncontent-length: 100\r\nx-id: 7\r\n\r\nhalf")
}

fn complete() -> Remote {
    replying_with("HTTP/1.1 200 OK\r\ncontent-length: 4\r\nx-id: 7\r\n\r\nfull")
}

fn half_open() -> Circuit {
    let clock = breaker_core::testing::ManualClock::new();
    let circuit = Circuit::with_clock("shop", Config::default(), clock.clone());
    circuit.trip();
    clock.advance(Config::default().cooldown());
    circuit
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("the request failed")]
    #[reachable(transparent)]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

#[breaker(connection = *circuit, settles = end)]
async fn until_the_end(circuit: &Circuit, url: &str) -> Result<reqwest::Response, ShopError> {
    Ok(reqwest::get(url).await?)
}

#[breaker(connection = *circuit, settles = end, is_failure = |error| !matches!(error, ShopError::Rejected(_)))]
async fn until_the_end_by_function(circuit: &Circuit, url: &str) -> Result<reqwest::Response, ShopError> {
    Ok(reqwest::get(url).await?)
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum OldError {
    #[error("the request failed")]
    #[reachable(transparent)]
    Http(#[from] reqwest_0_12::Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

#[breaker(connection = *circuit, settles = end)]
async fn in_0_12(circuit: &Circuit, url: &str) -> Result<http::Response<PartOfCall<reqwest_0_12::Body>>, OldError> {
    Ok(http::Response::from(reqwest_0_12::get(url).await?).map(PartOfCall::new))
}

#[breaker(connection = *circuit)]
async fn until_the_head(circuit: &Circuit, url: &str) -> Result<reqwest::Response, ShopError> {
    Ok(reqwest::get(url).await?)
}

async fn by_middleware(circuit: &Circuit, url: &str) -> Result<reqwest::Response, reqwest_middleware::Error> {
    let middleware = BreakerMiddleware::of(circuit.clone()).with_body();
    ClientBuilder::new(reqwest::Client::new()).with(middleware).build().get(url).send().await
}

#[tokio::test]
async fn a_body_that_breaks_off_is_a_failure_of_its_call() {
    let remote = breaking_off();
    for kind in 0..4 {
        let circuit = Circuit::new("shop", Config::default());
        for failed in 1..=5 {
            assert_eq!(circuit.state(), State::Closed, "kind {kind}, before call {failed}");
            macro_rules! breaks_off {
                ($response:expr, $read:expr) => {{
                    let response = $response.await.unwrap();
                    assert_eq!(circuit.snapshot().failed, failed - 1);
                    assert!($read(response).await.is_err());
                }};
            }
            match kind {
                0 => breaks_off!(until_the_end(&circuit, &remote.url()), reqwest::Response::text),
                1 => breaks_off!(until_the_end_by_function(&circuit, &remote.url()), reqwest::Response::text),
                2 => breaks_off!(in_0_12(&circuit, &remote.url()), |r: http::Response<
                    PartOfCall<reqwest_0_12::Body>,
                >| r.into_body().collect()),
                _ => breaks_off!(by_middleware(&circuit, &remote.url()), reqwest::Response::text),
            }
            assert_eq!(circuit.snapshot().failed, failed, "kind {kind}");
        }
        assert_eq!(circuit.state(), State::Open, "kind {kind}");
    }
    let circuit = Circuit::new("shop", Config::default());
    assert!(until_the_head(&circuit, &remote.url()).await.unwrap().text().await.is_err());
    assert_eq!(circuit.snapshot().failed, 0, "without a line of the user's own, the call ends with the head");
}

#[tokio::test]
async fn the_response_is_otherwise_unchanged() {
    let remote = complete();
    let circuit = Circuit::new("shop", Config::default());
    let plain = until_the_head(&circuit, &remote.url()).await.unwrap();
    let part = until_the_end(&circuit, &remote.url()).await.unwrap();
    assert_eq!((part.url(), part.status(), part.version()), (plain.url(), plain.status(), plain.version()));
    assert_eq!((part.headers(), part.remote_addr()), (plain.headers(), plain.remote_addr()));
    assert_eq!((part.content_length(), plain.content_length()), (Some(4), Some(4)));
    assert_eq!(part.text().await.unwrap(), plain.text().await.unwrap());
    assert_eq!(circuit.snapshot().failed, 0);
}

#[tokio::test]
async fn a_probe_succeeds_with_the_head_and_a_body_may_be_left_unread() {
    for remote in [complete(), breaking_off()] {
        let circuit = half_open();
        drop(until_the_end(&circuit, &remote.url()).await.unwrap());
        assert_eq!((circuit.state(), circuit.snapshot().dropped), (State::Closed, 0));
    }
    let busy = replying_with("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy");
    let circuit = Circuit::new("shop", Config::default());
    let response = until_the_end(&circuit, &busy.url()).await.unwrap();
    assert_eq!(circuit.snapshot().failed, 1, "the status decides at once");
    assert_eq!(response.text().await.unwrap(), "busy");
    assert_eq!(circuit.snapshot().failed, 1);
}

type Body = UnsyncBoxBody<&'static [u8], BoxError>;

fn body(chunks: Vec<Result<&'static [u8], BoxError>>) -> Body {
    StreamBody::new(stream::iter(chunks.into_iter().map(|chunk| chunk.map(http_body::Frame::data)))).boxed_unsync()
}

fn half() -> Body {
    body(vec![Ok(b"half"), Err(BoxError::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset)))])
}

#[breaker(connection = *circuit)]
async fn response(circuit: &Circuit, status: u16, body: Body) -> Result<http::Response<PartOfCall<Body>>, BoxError> {
    Ok(http::Response::builder().status(status).body(PartOfCall::new(body)).unwrap())
}

#[tokio::test]
async fn the_body_of_an_http_response_is_a_part_of_the_call() {
    let circuit = Circuit::new("shop", Config::default());
    for failed in 1..=5 {
        let response = response(&circuit, 200, half()).await.unwrap();
        assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Closed, failed - 1));
        assert!(response.into_body().collect().await.is_err());
        assert_eq!(circuit.snapshot().failed, failed);
    }
    assert_eq!(circuit.state(), State::Open);
    let circuit = Circuit::new("shop", Config::default());
    assert!(response(&circuit, 503, half()).await.unwrap().into_body().collect().await.is_err());
    assert_eq!(circuit.snapshot().failed, 1, "the status decides, and counts once");
    let circuit = half_open();
    drop(response(&circuit, 200, half()).await.unwrap());
    assert_eq!(circuit.state(), State::Closed);
}

#[tokio::test]
async fn the_layer_makes_a_body_a_part_of_the_call() {
    for with_body in [true, false] {
        let circuit = Circuit::new("shop", Config::default());
        let layer = BreakerLayer::of(circuit.clone());
        let service = service_fn(|(): ()| async { Ok::<_, Infallible>(http::Response::new(half())) });
        for failed in 1..=5 {
            if with_body {
                let response = layer.clone().with_body().layer(service).oneshot(()).await.unwrap();
                assert_eq!(circuit.snapshot().failed, failed - 1);
                assert!(response.into_body().collect().await.is_err());
                assert_eq!(circuit.snapshot().failed, failed);
            } else {
                let response = layer.clone().layer(service).oneshot(()).await.unwrap();
                assert!(response.into_body().collect().await.is_err());
                assert_eq!(circuit.snapshot().failed, 0);
            }
        }
        assert_eq!(circuit.state(), if with_body { State::Open } else { State::Closed });
    }
}

#[tokio::test]
async fn an_empty_body_ends_the_call_at_once() {
    let circuit = Circuit::new("shop", Config::default());
    let layer = BreakerLayer::of(circuit.clone()).with_body();
    for full in [false, true] {
        let broken = service_fn(|(): ()| async { Ok::<_, Infallible>(http::Response::new(half())) });
        assert!(layer.layer(broken).oneshot(()).await.unwrap().into_body().collect().await.is_err());
        assert_eq!(circuit.snapshot().streak, 1);
        if full {
            let service = service_fn(|(): ()| async {
                Ok::<_, Infallible>(http::Response::new(Full::<&'static [u8]>::new(b"all")))
            });
            let body = layer.layer(service).oneshot(()).await.unwrap().into_body();
            assert_eq!(circuit.snapshot().streak, 1, "the body is not read yet");
            assert_eq!(body.collect().await.unwrap().to_bytes(), "all");
        } else {
            let service =
                service_fn(|(): ()| async { Ok::<_, Infallible>(http::Response::new(Empty::<&'static [u8]>::new())) });
            let _unread = layer.layer(service).oneshot(()).await.unwrap();
            assert_eq!(circuit.snapshot().streak, 0);
        }
        assert_eq!(circuit.snapshot().streak, 0);
    }
}
