//! Responses and errors of each supported version of `reqwest`, in one tree.

use breaker_core::{Circuit, CircuitOpen, Config, FailureRule, ProvesReachable, State, breaker};

use crate::remote::{answering, no_listener};

macro_rules! version {
    ($version:ident: $reqwest:ident) => {
        mod $version {
            use super::*;

            #[derive(Debug, thiserror::Error, ProvesReachable)]
            enum ShopError {
                #[error("the request failed")]
                #[reachable(transparent)]
                Http(#[from] $reqwest::Error),
                #[error(transparent)]
                Rejected(#[from] CircuitOpen),
            }

            fn client() -> $reqwest::Client {
                $reqwest::Client::builder().no_proxy().build().expect("a client")
            }

            #[breaker(connection = circuit)]
            async fn get(circuit: &Circuit, url: &str) -> Result<$reqwest::Response, ShopError> {
                Ok(client().get(url).send().await?)
            }

            #[breaker(connection = circuit)]
            async fn get_checked(circuit: &Circuit, url: &str) -> Result<$reqwest::Response, ShopError> {
                Ok(client().get(url).send().await?.error_for_status()?)
            }

            #[breaker(connection = circuit)]
            async fn get_anyhow(circuit: &Circuit, url: &str) -> anyhow::Result<$reqwest::Response> {
                Ok(client().get(url).send().await?.error_for_status()?)
            }

            /// The number of calls until the circuit opens; `None` if ten do not open it.
            async fn opened_after(circuit: Circuit, call: impl AsyncFn(&Circuit)) -> Option<usize> {
                for calls in 1..=10 {
                    call(&circuit).await;
                    if circuit.state() == State::Open {
                        return Some(calls);
                    }
                }
                None
            }

            fn circuit() -> Circuit {
                Circuit::new("shop", Config::default())
            }

            #[tokio::test]
            async fn five_returned_503_open_the_circuit() {
                let opened = opened_after(circuit(), async |circuit| drop(get(circuit, &answering(503).url()).await));
                assert_eq!(opened.await, Some(5));
                let opened = opened_after(circuit(), async |circuit| drop(get(circuit, &answering(404).url()).await));
                assert_eq!(opened.await, None);
            }

            #[tokio::test]
            async fn the_status_of_an_error_decides() {
                for (status, expected) in [(404, None), (401, None), (500, Some(5)), (503, Some(5))] {
                    let url = &answering(status).url();
                    let own = opened_after(circuit(), async |circuit| drop(get_checked(circuit, url).await));
                    assert_eq!(own.await, expected, "{status}");
                    let in_anyhow = opened_after(circuit(), async |circuit| drop(get_anyhow(circuit, url).await));
                    assert_eq!(in_anyhow.await, expected, "{status} inside anyhow");
                }
            }

            #[tokio::test]
            async fn a_refused_connection_is_a_transport_fault() {
                let rule = FailureRule::Transport { timeouts: false, connection_errors: true };
                let config = Config::builder().failure_rule(rule).build().expect("a configuration");
                let url = &format!("http://{}/", no_listener());
                let opened = opened_after(Circuit::new("shop", config), async |circuit| drop(get(circuit, url).await));
                assert_eq!(opened.await, Some(5));
            }
        }
    };
}

version!(v0_12: reqwest_0_12);
version!(v0_13: reqwest);
