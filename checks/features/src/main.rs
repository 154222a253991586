//! Prints the state of circuits after results of other crates' types, without a line that asks for evidence about them.

use std::error::Error;
use std::io;
use std::time::Duration;

use breaker_core::{Circuit, CircuitOpen, Config, ConfigBuilder, FailureRule, ProvesReachable, breaker};
use http::StatusCode;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("no contact")]
    #[reachable(status = 404)]
    NoContact,
    #[error("the call failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

#[breaker(connection = circuit)]
fn status(circuit: &Circuit, status: u16) -> Result<StatusCode, ShopError> {
    Ok(StatusCode::from_u16(status).expect("a status"))
}

#[breaker(connection = circuit)]
fn response(circuit: &Circuit, status: u16) -> Result<reqwest::Response, ShopError> {
    Ok(answered(status).into())
}

#[breaker(connection = circuit)]
fn response_0_12(circuit: &Circuit, status: u16) -> Result<reqwest_0_12::Response, ShopError> {
    Ok(answered(status).into())
}

#[breaker(connection = circuit)]
fn in_anyhow(circuit: &Circuit, error: impl Error + Send + Sync + 'static) -> anyhow::Result<()> {
    Err(error.into())
}

#[breaker(connection = circuit)]
fn fails(circuit: &Circuit, error: ShopError) -> Result<(), ShopError> {
    Err(error)
}

#[breaker(connection = circuit, is_failure = |_| false)]
fn excused(circuit: &Circuit, error: io::Error) -> anyhow::Result<()> {
    Err(error.into())
}

fn answered(status: u16) -> http::Response<&'static str> {
    http::Response::builder().status(status).body("").expect("a response")
}

/// Makes five calls and prints what they did to a circuit.
fn five<R>(name: &str, config: ConfigBuilder, call: impl Fn(&Circuit) -> R) {
    let circuit = Circuit::new("shop", config.build().expect("a configuration"));
    for _ in 0..5 {
        drop(call(&circuit));
    }
    let seen = circuit.snapshot();
    println!("{name}: {}, {} failed, {} unknown", circuit.state(), seen.failed, seen.unknown);
}

/// Makes one probe and prints the state after it.
fn probe<R>(name: &str, call: impl Fn(&Circuit) -> R) {
    let config = Config::builder().cooldown(Duration::from_nanos(1)).build().expect("a configuration");
    let circuit = Circuit::new("shop", config);
    circuit.trip();
    std::thread::sleep(Duration::from_millis(1));
    drop(call(&circuit));
    println!("{name}: {}", circuit.state());
}

fn main() {
    let plain = Config::builder;
    five("Ok(503), http", plain(), |circuit| status(circuit, 503));
    five("Ok(503), http, response_statuses(false)", plain().response_statuses(false), |circuit| status(circuit, 503));
    five("Ok(503), reqwest 0.13", plain(), |circuit| response(circuit, 503));
    five("Ok(503), reqwest 0.12", plain(), |circuit| response_0_12(circuit, 503));
    probe("Ok(401) of a probe, http", |circuit| status(circuit, 401));
    probe("Ok(404) of a probe, http", |circuit| status(circuit, 404));

    let reqwest = || reqwest::Response::from(answered(404)).error_for_status().expect_err("404");
    let reqwest_0_12 = || reqwest_0_12::Response::from(answered(404)).error_for_status().expect_err("404");
    five("404 inside anyhow, reqwest 0.13", plain(), |circuit| in_anyhow(circuit, reqwest()));
    five("404 inside anyhow, reqwest 0.12", plain(), |circuit| in_anyhow(circuit, reqwest_0_12()));
    five("NotFound inside anyhow, tonic", plain(), |circuit| in_anyhow(circuit, tonic::Status::not_found("")));
    five("StorageFull inside anyhow, io", plain(), |circuit| in_anyhow(circuit, full()));
    five("own answer inside anyhow", plain(), |circuit| in_anyhow(circuit, ShopError::NoContact));

    five("own answer", plain(), |circuit| fails(circuit, ShopError::NoContact));
    five("own failure", plain(), |circuit| fails(circuit, ShopError::Failed("lost".into())));
    five("is_failure", plain(), |circuit| excused(circuit, full()));

    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let elapsed = || {
        let wait = async { tokio::time::timeout(Duration::ZERO, std::future::pending::<()>()).await };
        runtime.block_on(wait).expect_err("it never ends")
    };
    let transport = |name: &str, make: &dyn Fn() -> Box<dyn Error + Send + Sync>| {
        let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
        five(&format!("Transport, {name}"), Config::builder().failure_rule(rule), |circuit| {
            fails(circuit, ShopError::Failed(make()))
        });
    };
    transport("h2", &|| h2::Error::from(h2::Reason::SETTINGS_TIMEOUT).into());
    transport("tungstenite", &|| tungstenite::Error::ConnectionClosed.into());
    transport("rustls", &|| rustls::Error::DecryptError.into());
    transport("tokio", &|| elapsed().into());
    transport("tonic", &|| tonic::Status::unavailable("").into());
    transport("reqwest 0.13", &|| reqwest::Response::from(answered(503)).error_for_status().expect_err("503").into());
    transport("serde_json", &|| serde_json::from_str::<u8>("?").expect_err("no number").into());
    transport("io, refused", &|| io::Error::from(io::ErrorKind::ConnectionRefused).into());
    transport("io, full", &|| full().into());
}

fn full() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}
