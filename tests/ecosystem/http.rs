//! HTTP responses returned with `Ok` are judged by their status.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use crate::remote::{answering, head, no_listener, replying_with};
use breaker_core::{
    CarriesStatus, Circuit, CircuitOpen, Config, ConfigBuilder, Evidence, ProvesReachable, Snapshot, State, breaker,
};
use reqwest::StatusCode;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("the request failed")]
    Http(#[from] reqwest::Error),
    #[error("no such article")]
    #[reachable(status = 404)]
    NoSuchArticle,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

fn circuit() -> Circuit {
    Circuit::new("shop", Config::default())
}

fn evidence(seen: &Snapshot) -> Evidence {
    match (seen.failed, seen.unknown) {
        (0, 0) => Evidence::Answered,
        (1, 0) => Evidence::Failed,
        (0, 1) => Evidence::Unknown,
        counts => panic!("one call, one piece of evidence: {counts:?}"),
    }
}

/// A client that follows no redirects, so that the test receives a 3xx.
fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().expect("a client")
}

#[breaker(connection = circuit)]
async fn get(circuit: &Circuit, url: String) -> Result<reqwest::Response, ShopError> {
    Ok(client().get(url).send().await?)
}

#[tokio::test]
async fn a_response_of_reqwest_is_judged_and_returned_unchanged() {
    let cases = [
        (200, Evidence::Answered),
        (204, Evidence::Answered),
        (302, Evidence::Answered),
        (404, Evidence::Answered),
        (422, Evidence::Answered),
        (401, Evidence::Unknown),
        (408, Evidence::Unknown),
        (429, Evidence::Unknown),
        (500, Evidence::Unknown),
        (501, Evidence::Unknown),
        (502, Evidence::Failed),
        (503, Evidence::Failed),
        (504, Evidence::Failed),
    ];
    for (status, expected) in cases {
        let circuit = circuit();
        let remote = match status {
            204 | 302 => answering(status),
            _ => replying_with(head(status, "content-length: 5") + "words"),
        };
        let response = get(&circuit, remote.url()).await.expect("a response");
        assert_eq!(evidence(&circuit.snapshot()), expected, "{status}");
        assert_eq!(response.status(), status);
        let words = if matches!(status, 204 | 302) { "" } else { "words" };
        assert_eq!(response.text().await.expect("a body"), words);
    }
}

#[tokio::test]
async fn a_503_in_ok_opens_the_circuit_and_stops_the_calls() {
    let circuit = circuit();
    let remote = answering(503);
    for _ in 0..5 {
        get(&circuit, remote.url()).await.expect("a response");
    }
    assert_eq!(circuit.state(), State::Open);
    assert!(matches!(get(&circuit, remote.url()).await, Err(ShopError::Rejected(_))));
    assert_eq!(remote.connections(), 5, "the sixth call was rejected");
}

#[tokio::test]
async fn a_definite_answer_clears_the_streak() {
    let circuit = circuit();
    let (down, up, busy) = (answering(503), answering(404), answering(429));
    for _ in 0..4 {
        get(&circuit, down.url()).await.expect("a response");
    }
    get(&circuit, busy.url()).await.expect("a response");
    assert_eq!(circuit.snapshot().streak, 4, "a 429 neither counts nor clears");
    get(&circuit, up.url()).await.expect("a response");
    assert_eq!(circuit.snapshot().streak, 0);
}

/// A response of each type, in each wrapper, in functions of each shape.
mod shapes {
    use super::*;

    type Reply = Result<http::Response<String>, ShopError>;

    fn response<B: Default>(status: u16) -> http::Response<B> {
        let mut response = http::Response::new(B::default());
        *response.status_mut() = StatusCode::from_u16(status).expect("a status");
        response
    }

    #[breaker(connection = circuit)]
    fn plain(circuit: &Circuit, status: u16) -> Reply {
        Ok(response(status))
    }

    #[breaker(connection = circuit)]
    async fn of_axum(circuit: &Circuit, status: u16) -> Result<axum::response::Response, ShopError> {
        Ok(response(status))
    }

    #[breaker(connection = circuit)]
    async fn of_any_body<B: Default>(circuit: &Circuit, status: u16) -> Result<http::Response<B>, ShopError> {
        Ok(response(status))
    }

    #[breaker(connection = circuit)]
    fn boxed(circuit: &Circuit, status: u16) -> Result<Box<http::Response<()>>, ShopError> {
        Ok(Box::new(response(status)))
    }

    #[breaker(connection = circuit)]
    fn shared(circuit: &Circuit, status: u16) -> Result<Arc<http::Response<()>>, ShopError> {
        Ok(Arc::new(response(status)))
    }

    #[breaker(connection = circuit)]
    fn perhaps(circuit: &Circuit, status: u16) -> Result<Option<http::Response<()>>, ShopError> {
        Ok((status != 0).then(|| response(status)))
    }

    #[breaker(connection = circuit)]
    fn parts(circuit: &Circuit, status: u16) -> Result<http::response::Parts, ShopError> {
        Ok(response::<()>(status).into_parts().0)
    }

    #[breaker(connection = circuit)]
    fn bare(circuit: &Circuit, status: u16) -> Result<StatusCode, ShopError> {
        Ok(StatusCode::from_u16(status).expect("a status"))
    }

    struct Own {
        code: u16,
    }

    impl CarriesStatus for Own {
        fn carried_status(&self) -> Option<u16> {
            Some(self.code)
        }
    }

    #[breaker(connection = circuit)]
    fn own(circuit: &Circuit, status: u16) -> Result<Own, ShopError> {
        Ok(Own { code: status })
    }

    #[breaker(connection = circuit, is_failure = |_| false)]
    fn beside_is_failure(circuit: &Circuit, status: u16) -> Reply {
        Ok(response(status))
    }

    #[tokio::test]
    async fn responses_in_all_shapes_are_judged() {
        // Fails for each shape whose judge treats every `Ok` as a success.
        for (status, expected) in [(200, Evidence::Answered), (503, Evidence::Failed), (429, Evidence::Unknown)] {
            let evidence_of = |call: &dyn Fn(&Circuit)| {
                let circuit = circuit();
                call(&circuit);
                evidence(&circuit.snapshot())
            };
            assert_eq!(evidence_of(&|c| assert!(plain(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(boxed(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(shared(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(perhaps(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(parts(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(bare(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(own(c, status).is_ok())), expected);
            assert_eq!(evidence_of(&|c| assert!(beside_is_failure(c, status).is_ok())), expected);
            let circuits = [circuit(), circuit()];
            of_axum(&circuits[0], status).await.expect("it is returned");
            of_any_body::<Vec<u8>>(&circuits[1], status).await.expect("it is returned");
            assert_eq!(circuits.map(|circuit| evidence(&circuit.snapshot())), [expected, expected]);
        }
        assert!(perhaps(&circuit(), 0).expect("no response").is_none());
    }

    #[breaker(connection = circuit, is_success = |response| response.status() != 404)]
    fn by_its_own_word(circuit: &Circuit, status: u16) -> Reply {
        Ok(response(status))
    }

    #[test]
    fn is_success_takes_precedence_over_the_status() {
        for (status, expected) in [(404, Evidence::Failed), (503, Evidence::Answered)] {
            let circuit = circuit();
            by_its_own_word(&circuit, status).expect("it is returned");
            assert_eq!(evidence(&circuit.snapshot()), expected, "{status}");
        }
    }

    /// A type without a status, or one that hides it, compiles and counts as a success.
    #[breaker(connection = circuit)]
    fn hidden(circuit: &Circuit) -> Result<impl Iterator<Item = u8> + use<>, ShopError> {
        Ok([1].into_iter())
    }

    #[breaker(connection = circuit)]
    async fn hidden_in_a_future(circuit: &Circuit) -> Result<impl Sized + use<>, ShopError> {
        Ok(())
    }

    #[breaker(connection = circuit)]
    fn of_any_type<T: Default>(circuit: &Circuit) -> Result<T, ShopError> {
        Ok(T::default())
    }

    #[tokio::test]
    async fn a_value_without_a_status_is_a_success() {
        let circuit = circuit();
        assert_eq!(hidden(&circuit).expect("ok").sum::<u8>(), 1);
        let _ = hidden_in_a_future(&circuit).await.expect("ok");
        assert_eq!(of_any_type::<u8>(&circuit).expect("ok"), 0);
        assert_eq!(evidence(&circuit.snapshot()), Evidence::Answered);
    }
}

#[tokio::test]
async fn calls_through_a_circuit_judge_responses_on_request() {
    let remote = answering(503);
    let call = || async { Ok::<_, ShopError>(client().get(remote.url()).send().await?) };
    let judged = circuit();
    judged.call_async_response(call()).await.expect("a response");
    assert_eq!(evidence(&judged.snapshot()), Evidence::Failed);
    // A generic function cannot see what it returns.
    let unjudged = circuit();
    unjudged.call_async(call()).await.expect("a response");
    assert_eq!(evidence(&unjudged.snapshot()), Evidence::Answered);

    let judged = circuit();
    judged.call_response(|| Ok::<_, ShopError>(StatusCode::BAD_GATEWAY)).expect("a status");
    assert_eq!(evidence(&judged.snapshot()), Evidence::Failed);
    let error = judged.call_response(|| Err::<StatusCode, _>(ShopError::NoSuchArticle));
    assert!(matches!(error, Err(ShopError::NoSuchArticle)));
    assert_eq!(judged.snapshot().marked_answers, 1);
}

/// Every setting has an effect: each changes the evidence of a response and nothing else.
mod settings {
    use super::*;

    async fn evidence_of(config: ConfigBuilder, status: u16) -> Evidence {
        let circuit = Circuit::new("shop", config.build().expect("a configuration"));
        get(&circuit, answering(status).url()).await.expect("a response");
        evidence(&circuit.snapshot())
    }

    #[tokio::test]
    async fn counted_statuses_replace_the_list() {
        let config = || Config::builder().counted_statuses([429, 404]);
        assert_eq!(evidence_of(config(), 429).await, Evidence::Failed);
        assert_eq!(evidence_of(config(), 404).await, Evidence::Failed);
        assert_eq!(evidence_of(config(), 503).await, Evidence::Unknown);
        assert_eq!(evidence_of(config(), 410).await, Evidence::Answered);
    }

    #[tokio::test]
    async fn count_http_500_adds_to_the_list() {
        let config = || Config::builder().count_http_500(true);
        assert_eq!(evidence_of(config(), 500).await, Evidence::Failed);
        assert_eq!(evidence_of(config(), 503).await, Evidence::Failed);
        assert_eq!(evidence_of(config().counted_statuses([502]), 500).await, Evidence::Failed);
        assert_eq!(evidence_of(config().counted_statuses([502]), 503).await, Evidence::Unknown);
        assert_eq!(evidence_of(Config::builder(), 500).await, Evidence::Unknown);
    }

    #[tokio::test]
    async fn response_statuses_turn_the_judgement_of_responses_off() {
        let config = || Config::builder().response_statuses(false);
        for status in [401, 404, 500, 503] {
            assert_eq!(evidence_of(config(), status).await, Evidence::Answered, "{status}");
        }
        // Five of them leave the circuit closed, and one closes a half-open circuit.
        let circuit = Circuit::new("shop", config().build().expect("a configuration"));
        for _ in 0..5 {
            drop(get(&circuit, answering(503).url()).await);
        }
        assert_eq!(circuit.state(), State::Closed);
        // The status of an error is judged all the same.
        let error = circuit.call(|| Err::<(), _>(ShopError::NoSuchArticle));
        assert!(error.is_err());
        assert_eq!(circuit.snapshot().marked_answers, 1);
    }

    #[test]
    fn invalid_statuses_do_not_build() {
        let refused = |statuses: &[u16]| {
            let error = Config::builder().counted_statuses(statuses.iter().copied()).build().unwrap_err();
            assert_eq!(error.setting(), "counted_statuses");
            error.to_string()
        };
        assert_eq!(refused(&[]), "`counted_statuses` is [], but must be at least one HTTP status");
        for outside in [0, 99, 600, u16::MAX] {
            let text = format!("`counted_statuses` is {outside}, but must be HTTP statuses from 100 to 599");
            assert_eq!(refused(&[503, outside]), text);
        }
        assert_eq!(refused(&[204, 503]), "`counted_statuses` is 204, but must be without a 2xx, which is a success");
        assert_eq!(
            refused(&[503, 429, 503]),
            "`counted_statuses` is 503 twice, but must be a list that names each HTTP status once"
        );
    }
}

/// Errors of other crates as error types of annotated functions.
mod errors {
    use super::*;

    // `reqwest::Error` cannot carry a rejection, so there is a fallback.
    #[breaker(connection = circuit, fallback = |_| Ok(String::new()))]
    async fn text(circuit: &Circuit, url: String) -> Result<String, reqwest::Error> {
        client().get(url).send().await?.error_for_status()?.text().await
    }

    #[tokio::test]
    async fn an_error_of_reqwest_has_its_evidence() {
        let evidence_of = async |url: String| {
            let circuit = circuit();
            text(&circuit, url).await.expect_err("it fails");
            let seen = circuit.snapshot();
            (seen.failed, seen.unknown, seen.marked_answers)
        };
        assert_eq!(evidence_of(answering(404).url()).await, (0, 0, 1));
        assert_eq!(evidence_of(answering(503).url()).await, (1, 0, 0));
        assert_eq!(evidence_of(answering(401).url()).await, (0, 1, 0));
        assert_eq!(evidence_of(format!("http://{}/", no_listener())).await, (1, 0, 0));
        assert_eq!(evidence_of("no url".to_owned()).await, (0, 1, 0));
    }

    #[breaker(connection = circuit)]
    fn connect(circuit: &Circuit, address: std::net::SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address)
    }

    #[breaker(connection = circuit)]
    fn fail(circuit: &Circuit, error: io::Error) -> io::Result<()> {
        Err(error)
    }

    #[test]
    fn an_io_error_has_the_evidence_of_its_kind_and_carries_a_rejection() {
        let circuit = Circuit::new("shop", Config::builder().failure_threshold(1).build().expect("a threshold"));
        fail(&circuit, io::ErrorKind::PermissionDenied.into()).expect_err("it fails");
        assert_eq!(evidence(&circuit.snapshot()), Evidence::Unknown);
        connect(&circuit, no_listener()).expect_err("no server listens");
        assert_eq!(circuit.state(), State::Open);

        let rejection = connect(&circuit, no_listener()).expect_err("rejected");
        let inner = rejection.get_ref().expect("what the error was made of");
        assert!(inner.is::<CircuitOpen>());
        // A rejection passed on from a call of another circuit is never evidence.
        let outer = super::circuit();
        fail(&outer, rejection).expect_err("it fails");
        assert_eq!(evidence(&outer.snapshot()), Evidence::Unknown);
    }
}
