//! Real errors of `h2`, `hyper-util` and `tungstenite` under the rule that counts only the transport.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread;

use breaker_core::{Circuit, CircuitOpen, Config, FailureRule, ProvesReachable};
use h2::Reason;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum CallError {
    #[error("the request failed")]
    Http(#[from] reqwest::Error),
    #[error("the request failed")]
    Legacy(#[from] hyper_util::client::legacy::Error),
    #[error("the socket failed")]
    WebSocket(#[from] tungstenite::Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

/// Whether an error counts under a rule.
fn counts(error: impl Into<CallError>, timeouts: bool, connection_errors: bool) -> bool {
    let rule = FailureRule::Transport { timeouts, connection_errors };
    let circuit = Circuit::new("shop", Config::builder().failure_rule(rule).build().unwrap());
    circuit.call(|| Err::<(), CallError>(error.into())).unwrap_err();
    circuit.snapshot().failed == 1
}

fn is_connection_error(error: impl Into<CallError>) -> bool {
    counts(error, false, true)
}

/// A server that resets each stream, before its response or within the body.
async fn breaking_off(reason: Reason, amid_body: bool) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let mut connection = h2::server::handshake(socket).await.unwrap();
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            if amid_body {
                let mut body = respond.send_response(http::Response::new(()), false).unwrap();
                body.send_data("half of".into(), false).unwrap();
                body.send_reset(reason);
            } else {
                respond.send_reset(reason);
            }
        }
    });
    address
}

async fn over_http2(server: SocketAddr) -> reqwest::Error {
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    match client.get(format!("http://{server}")).send().await {
        Ok(response) => response.bytes().await.unwrap_err(),
        Err(error) => error,
    }
}

// Fails without the adapter of `h2`, because `hyper` does not examine these errors.
#[tokio::test]
async fn a_stream_that_is_reset_is_a_connection_error() {
    for amid_body in [false, true] {
        for reason in [Reason::INTERNAL_ERROR, Reason::REFUSED_STREAM, Reason::CANCEL] {
            let server = breaking_off(reason, amid_body).await;
            assert!(is_connection_error(over_http2(server).await), "{reason:?}");
        }
    }
}

#[tokio::test]
async fn other_resets_of_the_server_do_not_count() {
    for reason in [Reason::ENHANCE_YOUR_CALM, Reason::HTTP_1_1_REQUIRED] {
        let server = breaking_off(reason, false).await;
        assert!(!counts(over_http2(server).await, true, true), "{reason:?}");
    }
}

/// An address on which no server listens.
async fn no_listener() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn the_client_of_hyper_util_reports_why_it_has_no_connection() {
    let client = Client::builder(TokioExecutor::new()).build_http::<String>();
    let refused =
        || async { client.get(format!("http://{}", no_listener().await).parse().unwrap()).await.unwrap_err() };
    assert!(is_connection_error(refused().await));
    assert!(!counts(refused().await, true, false));
    // An invalid address is a mistake of the caller.
    let nonsense = client.get("/no/host".parse().unwrap()).await.unwrap_err();
    assert!(!counts(nonsense, true, true));
}

#[test]
fn a_websocket_error_reports_how_the_connection_ended() {
    let pair = || {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || tungstenite::accept(listener.accept().unwrap().0).unwrap());
        let socket = std::net::TcpStream::connect(url.trim_start_matches("ws://").trim_end_matches('/')).unwrap();
        let (client, _) = tungstenite::client(url, socket).unwrap();
        (client, server.join().unwrap())
    };
    let (mut client, server) = pair();
    drop(server);
    assert!(is_connection_error(client.read().unwrap_err()), "it closed the connection without a close frame");

    let (mut client, mut server) = pair();
    server.close(None).unwrap();
    client.read().unwrap();
    drop(server);
    assert!(is_connection_error(client.read().unwrap_err()), "it is closed");

    let (mut client, mut server) = pair();
    std::io::Write::write_all(server.get_mut(), &[0xff, 0]).unwrap();
    drop(server);
    assert!(!counts(client.read().unwrap_err(), true, true), "what came was nonsense");
}
