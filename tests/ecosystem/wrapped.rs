//! Errors under the rule `Transport` whose fault is in the name of their type, behind pointers and wrappers.

use std::error::Error;
use std::rc::Rc;
use std::sync::Arc;

use breaker_core::{Circuit, Config, FailureRule, ProvesReachable, State, breaker};

type Boxed = Box<dyn Error + Send + Sync>;

/// Only the name of the type is about the transport.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("the bank did not say a word")]
#[reachable(never)]
struct ReadTimeout;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("the bank did not say a word")]
#[reachable(never)]
struct Declined;

mod vendor {
    /// An error of another crate, without evidence.
    #[derive(Debug, thiserror::Error)]
    #[error("no word")]
    pub(super) struct ReadTimeout;
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum BankError {
    #[error(transparent)]
    #[reachable(transparent)]
    Transparent(#[from] ReadTimeout),
    #[error("no word")]
    Failed(ReadTimeout),
    #[error("no word")]
    Boxed(Box<ReadTimeout>),
    #[error("no word")]
    Shared(Rc<ReadTimeout>),
    #[error("no word")]
    OfAnotherCrate(vendor::ReadTimeout),
    #[error("no word")]
    BoxedOfAnotherCrate(#[source] Arc<vendor::ReadTimeout>),
    #[error("no word")]
    Hidden(Boxed),
    #[error("no word")]
    Report(anyhow::Error),
    #[error("no word")]
    Nested(Box<BankError>),
    #[error("no word")]
    Declined(#[from] Declined),
}

#[derive(Debug, thiserror::Error)]
#[error("while paying")]
struct Paying(#[source] Arc<ReadTimeout>);

/// The state of a circuit after as many of these errors as open it.
macro_rules! after {
    ($error:ty, $make:expr) => {{
        #[breaker(connection = *circuit, fallback = |_| unreachable!("the circuit is closed"))]
        fn fail(circuit: &Circuit, error: $error) -> Result<(), $error> {
            Err(error)
        }
        let rule = FailureRule::Transport { timeouts: true, connection_errors: false };
        let circuit = Circuit::new("bank", Config::builder().failure_threshold(3).failure_rule(rule).build().unwrap());
        for _ in 0..3 {
            fail(&circuit, $make).unwrap_err();
        }
        circuit.state()
    }};
}

// Fails if only the name of the outermost type is read.
#[test]
fn the_name_of_a_type_counts_inside_pointers_and_wrappers() {
    assert_eq!(after!(ReadTimeout, ReadTimeout), State::Open);
    assert_eq!(after!(Box<ReadTimeout>, Box::new(ReadTimeout)), State::Open);
    assert_eq!(after!(Arc<ReadTimeout>, Arc::new(ReadTimeout)), State::Open);
    assert_eq!(after!(Arc<Box<ReadTimeout>>, Arc::new(Box::new(ReadTimeout))), State::Open);
    assert_eq!(after!(BankError, BankError::from(ReadTimeout)), State::Open);
    assert_eq!(after!(BankError, BankError::Failed(ReadTimeout)), State::Open);
    assert_eq!(after!(BankError, BankError::Boxed(Box::new(ReadTimeout))), State::Open);
    assert_eq!(after!(BankError, BankError::Shared(Rc::new(ReadTimeout))), State::Open);
    assert_eq!(after!(BankError, BankError::OfAnotherCrate(vendor::ReadTimeout)), State::Open);
    assert_eq!(after!(BankError, BankError::BoxedOfAnotherCrate(Arc::new(vendor::ReadTimeout))), State::Open);
    assert_eq!(after!(BankError, BankError::Hidden(ReadTimeout.into())), State::Open);
    assert_eq!(after!(BankError, BankError::Hidden(Arc::new(ReadTimeout).into())), State::Open);
    assert_eq!(after!(BankError, BankError::Report(anyhow::Error::new(ReadTimeout).context("a"))), State::Open);
    assert_eq!(after!(BankError, BankError::Report(anyhow::anyhow!("a").context(ReadTimeout))), State::Open);
    assert_eq!(after!(BankError, BankError::Nested(Box::new(BankError::Failed(ReadTimeout)))), State::Open);
    assert_eq!(after!(Boxed, ReadTimeout.into()), State::Open);
    assert_eq!(after!(Boxed, Arc::new(ReadTimeout).into()), State::Open);
    assert_eq!(after!(Boxed, Paying(Arc::new(ReadTimeout)).into()), State::Open);
    assert_eq!(after!(Boxed, std::io::Error::other(ReadTimeout).into()), State::Open);
    assert_eq!(after!(anyhow::Error, anyhow::Error::new(Box::new(ReadTimeout)).context("a")), State::Open);
    assert_eq!(after!(eyre::Report, eyre::eyre!("a").wrap_err(Arc::new(ReadTimeout))), State::Open);

    assert_eq!(after!(Box<Declined>, Box::new(Declined)), State::Closed);
    assert_eq!(after!(BankError, BankError::from(Declined)), State::Closed);
    assert_eq!(after!(Boxed, Arc::new(Declined).into()), State::Closed);
    assert_eq!(after!(anyhow::Error, anyhow::anyhow!("a").context(Declined)), State::Closed);
}

/// The errors that are known without registration, behind a pointer in a boxed error.
#[tokio::test]
async fn pointers_to_known_types_are_seen_through() {
    let timed_out = || std::io::Error::from(std::io::ErrorKind::TimedOut);
    assert_eq!(after!(Boxed, Box::new(timed_out()).into()), State::Open);
    assert_eq!(after!(Boxed, Arc::new(timed_out()).into()), State::Open);
    assert_eq!(after!(Boxed, Arc::new(std::io::Error::other("a")).into()), State::Closed);
    let reply = || reqwest::Response::from(http::Response::builder().status(404).body("").unwrap());
    for shared in [
        |error: reqwest::Error| -> Boxed { Box::new(error).into() },
        |error: reqwest::Error| Arc::new(error).into(),
        |error: reqwest::Error| std::io::Error::other(Arc::new(error)).into(),
    ] {
        let circuit = Circuit::new("shop", Config::default());
        judge(&circuit, shared(reply().error_for_status().unwrap_err())).unwrap_err();
        assert_eq!(circuit.snapshot().marked_answers, 1);
    }
    assert_eq!(after!(Boxed, Arc::new(tonic::Status::deadline_exceeded("a")).into()), State::Open);
    assert_eq!(after!(Boxed, Box::new(tonic::Status::not_found("a")).into()), State::Closed);
}

#[breaker(connection = *circuit)]
fn judge(circuit: &Circuit, error: Boxed) -> Result<(), Boxed> {
    Err(error)
}
