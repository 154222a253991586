//! `tonic::Status` as the error type of annotated functions, with a gRPC server on loopback.

use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::extract::Path;
use axum::response::IntoResponse;
use axum::routing::post;
use breaker_core::{Circuit, CircuitOpen, Config, FailureRule, State, breaker};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

/// Messages without content.
#[derive(Clone, Copy, Default)]
struct Empty;

impl Codec for Empty {
    type Encode = ();
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Empty {
    type Item = ();
    type Error = Status;

    fn encode(&mut self, (): (), _: &mut EncodeBuf<'_>) -> Result<(), Status> {
        Ok(())
    }
}

impl Decoder for Empty {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, _: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        Ok(Some(()))
    }
}

/// A server whose method `/shop/N` returns the code N. Code 99 never returns.
async fn server() -> Endpoint {
    let reply = async |Path(code): Path<u8>| {
        if code == 99 {
            std::future::pending::<()>().await;
        }
        [("content-type", "application/grpc".to_owned()), ("grpc-status", code.to_string())].into_response()
    };
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port on loopback");
    let address = listener.local_addr().expect("it is bound");
    let routes = Router::new().route("/shop/{code}", post(reply));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Endpoint::from_shared(format!("http://{address}")).expect("a URL")
}

#[breaker(connection = circuit)]
async fn ask(circuit: &Circuit, channel: Channel, code: u8) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.map_err(|error| Status::from_error(error.into()))?;
    let path = format!("/shop/{code}").parse().expect("a path");
    client.unary(Request::new(()), path, Empty).await?;
    Ok(())
}

fn circuit(rule: FailureRule) -> Circuit {
    Circuit::new("shop", Config::builder().failure_threshold(1).failure_rule(rule).build().expect("a configuration"))
}

const TRANSPORT: FailureRule = FailureRule::Transport { timeouts: true, connection_errors: true };

#[tokio::test]
async fn each_code_has_its_evidence() {
    let channel = server().await.connect_lazy();
    for code in 1..=16 {
        let circuit = circuit(FailureRule::AnyError);
        let status = ask(&circuit, channel.clone(), code).await.expect_err("an error");
        assert_eq!(status.code(), Code::from_i32(code.into()), "returned unchanged");
        let seen = circuit.snapshot();
        let expected = match status.code() {
            Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::OutOfRange => (0, 0, 1),
            Code::Unauthenticated | Code::ResourceExhausted | Code::Aborted => (0, 1, 0),
            _ => (1, 0, 0),
        };
        assert_eq!((seen.failed, seen.unknown, seen.marked_answers), expected, "{:?}", status.code());
    }
}

#[tokio::test]
async fn a_rejection_is_unavailable_and_found_among_the_sources() {
    let channel = server().await.connect_lazy();
    let circuit = circuit(FailureRule::AnyError);
    circuit.hold_open();
    let status = ask(&circuit, channel.clone(), 0).await.expect_err("rejected");
    assert_eq!(status.code(), Code::Unavailable);
    let source = std::error::Error::source(&status).expect("a source");
    assert_eq!(source.downcast_ref::<CircuitOpen>().expect("the rejection").connection(), "shop");
}

#[tokio::test]
async fn a_rejection_that_is_passed_on_is_never_evidence() {
    #[breaker(connection = circuit)]
    async fn pass_on(circuit: &Circuit, status: Status) -> Result<(), Status> {
        Err(status)
    }
    let inner = circuit(FailureRule::AnyError);
    inner.hold_open();
    let status = ask(&inner, server().await.connect_lazy(), 0).await.expect_err("rejected");
    let outer = circuit(FailureRule::AnyError);
    pass_on(&outer, status).await.expect_err("passed on");
    assert_eq!((outer.state(), outer.snapshot().unknown), (State::Closed, 1));
}

#[tokio::test]
async fn errors_of_the_channel_are_known_by_the_transport() {
    // No server listens here.
    let refused = circuit(TRANSPORT);
    let no_listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let no_listener = Endpoint::from_shared(format!("http://{}", no_listener.expect("a port"))).expect("a URL");
    ask(&refused, no_listener.connect_lazy(), 0).await.expect_err("refused");
    assert_eq!(refused.state(), State::Open);

    // A timeout of the client itself has the code of a cancellation.
    let slow = circuit(FailureRule::Transport { timeouts: true, connection_errors: false });
    let channel = server().await.timeout(Duration::from_millis(100)).connect_lazy();
    ask(&slow, channel, 99).await.expect_err("too slow");
    assert_eq!(slow.state(), State::Open);

    // No other code of the server concerns the transport.
    let internal = circuit(TRANSPORT);
    ask(&internal, server().await.connect_lazy(), 13).await.expect_err("internal");
    assert_eq!(internal.state(), State::Closed);
}
