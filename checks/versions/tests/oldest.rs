//! Tests of the evidence of errors and responses of the oldest supported versions.

use std::error::Error;

use breaker_core::{
    Circuit, CircuitOpen, Config, Evidence, FailureRule, NeverReachable, ProvesReachable, State, breaker,
};

/// Wraps an error of another crate without a mark.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
#[error("the call failed")]
struct CallError(#[source] Box<dyn Error + Send + Sync>);

impl From<CircuitOpen> for CallError {
    fn from(open: CircuitOpen) -> Self {
        Self(open.into())
    }
}

/// The state after five errors under the rule that only transport faults count.
fn under_transport(make: impl Fn() -> Box<dyn Error + Send + Sync>) -> State {
    let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
    let circuit = Circuit::new("remote", Config::builder().failure_rule(rule).build().unwrap());
    for _ in 0..5 {
        assert!(circuit.call(|| Err::<(), _>(CallError(make()))).is_err());
    }
    circuit.state()
}

fn response(status: u16) -> http::Response<&'static str> {
    http::Response::builder().status(status).body("").unwrap()
}

macro_rules! reqwest_version {
    ($test:ident: $reqwest:ident) => {
        #[test]
        fn $test() {
            #[breaker(connection = circuit)]
            fn get(circuit: &Circuit, status: u16) -> anyhow::Result<$reqwest::Response> {
                Ok(response(status).into())
            }

            let circuit = Circuit::new("remote", Config::default());
            for _ in 0..5 {
                assert!(get(&circuit, 503).is_ok());
            }
            assert_eq!(circuit.state(), State::Open);

            let error = |status| $reqwest::Response::from(response(status)).error_for_status().unwrap_err();
            assert_eq!(error(404).evidence(), Evidence::Answered);
            assert_eq!(error(401).evidence(), Evidence::Unknown);
            assert_eq!(error(503).evidence(), Evidence::Failed);
            assert_eq!($reqwest::Client::new().get("no url").build().unwrap_err().evidence(), Evidence::Unknown);

            #[breaker(connection = circuit)]
            fn get_checked(circuit: &Circuit, status: u16) -> anyhow::Result<$reqwest::Response> {
                Ok($reqwest::Response::from(response(status)).error_for_status()?)
            }

            let circuit = Circuit::new("remote", Config::default());
            assert!(get_checked(&circuit, 404).is_err());
            assert_eq!(circuit.snapshot().marked_answers, 1);
        }
    };
}

reqwest_version!(reqwest_0_12: reqwest_0_12);
reqwest_version!(reqwest_0_13: reqwest);

#[test]
fn tonic() {
    assert_eq!(tonic::Status::not_found("no contact").evidence(), Evidence::Answered);
    assert_eq!(tonic::Status::unavailable("down").evidence(), Evidence::Failed);
}

#[test]
fn transport_faults_are_recognised_by_their_types() {
    assert_eq!(under_transport(|| h2::Error::from(h2::Reason::SETTINGS_TIMEOUT).into()), State::Open);
    assert_eq!(under_transport(|| tungstenite::Error::ConnectionClosed.into()), State::Open);
    assert_eq!(under_transport(|| rustls::Error::DecryptError.into()), State::Open);
    assert_eq!(under_transport(|| std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into()), State::Open);
    assert_eq!(under_transport(|| serde_json::from_str::<u8>("?").unwrap_err().into()), State::Closed);
}

#[test]
fn errors_that_never_prove_an_answer() {
    fn never<E: NeverReachable>() {}
    never::<h2::Error>();
    never::<http::Error>();
    never::<hyper::Error>();
    never::<hyper_util::client::legacy::Error>();
    never::<reqwest::Error>();
    never::<reqwest_0_12::Error>();
    never::<rustls::Error>();
    never::<serde_json::Error>();
    never::<tokio::time::error::Elapsed>();
    never::<tonic::transport::Error>();
    never::<tungstenite::Error>();
}

#[test]
fn settings_are_read() {
    let config: Config = serde_json::from_str(r#"{ "failure_threshold": 3 }"#).unwrap();
    assert_eq!(config.failure_threshold(), 3);
}
