//! Errors under the rule `Transport` whose fault is in the name of their type, behind pointers and wrappers.

use std::error::Error;
use std::fmt;
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
            assert!(fail(&circuit, $make).is_err());
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

/// A generic error, such as that of a client with several transports.
#[derive(Debug, ProvesReachable)]
#[reachable(never)]
enum Generic<T> {
    Req { error: T },
    Wrapped { err: Arc<T> },
}

impl<T> fmt::Display for Generic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Req { .. } => "no word",
            Self::Wrapped { .. } => "not a word",
        })
    }
}

impl<T: fmt::Debug> Error for Generic<T> {}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum Declared<T: Error + 'static> {
    #[error("no word")]
    Req(T),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
#[error("no word")]
struct Bounded<T>(T)
where
    T: Error;

/// A generic payload may still be borrowed.
#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Lookup<Id> {
    #[error("no such contact")]
    #[reachable]
    NotFound(Id),
    #[error("no word")]
    Malformed(Id),
}

#[breaker(connection = *circuit, fallback = |_| unreachable!("the circuit is closed"))]
fn look_up<'id>(circuit: &Circuit, id: &'id str) -> Result<(), Lookup<&'id str>> {
    Err(if id.is_empty() { Lookup::Malformed(id) } else { Lookup::NotFound(id) })
}

#[breaker(connection = *circuit, fallback = |_| unreachable!("the circuit is closed"))]
fn generic<T: fmt::Debug + 'static>(circuit: &Circuit, error: Generic<T>) -> Result<(), Generic<T>> {
    Err(error)
}

// Fails if a generic field is asked by its bounds alone, which show nothing of its type.
#[tokio::test]
async fn the_error_in_a_generic_field_counts_as_in_a_concrete_one() {
    let timed_out = || std::io::Error::from(std::io::ErrorKind::TimedOut);
    assert_eq!(after!(Generic<std::io::Error>, Generic::Req { error: timed_out() }), State::Open);
    assert_eq!(after!(Generic<std::io::Error>, Generic::Wrapped { err: Arc::new(timed_out()) }), State::Open);
    assert_eq!(after!(Generic<Boxed>, Generic::Req { error: timed_out().into() }), State::Open);
    assert_eq!(after!(Generic<anyhow::Error>, Generic::Req { error: timed_out().into() }), State::Open);
    assert_eq!(after!(Generic<ReadTimeout>, Generic::Req { error: ReadTimeout }), State::Open);
    assert_eq!(after!(Generic<vendor::ReadTimeout>, Generic::Req { error: vendor::ReadTimeout }), State::Open);
    assert_eq!(after!(Declared<std::io::Error>, Declared::Req(timed_out())), State::Open);
    assert_eq!(after!(Bounded<std::io::Error>, Bounded(timed_out())), State::Open);
    assert_eq!(after!(Bounded<Paying>, Bounded(Paying(Arc::new(ReadTimeout)))), State::Open);
    assert_eq!(after!(Generic<Declined>, Generic::Req { error: Declined }), State::Closed);
    assert_eq!(after!(Generic<String>, Generic::Req { error: String::from("a") }), State::Closed);

    let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
    let circuit = Circuit::new("bank", Config::builder().failure_threshold(3).failure_rule(rule).build().unwrap());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for _ in 0..3 {
        let error = client.get("http://127.0.0.1:1/").send().await.unwrap_err();
        generic(&circuit, Generic::Req { error }).unwrap_err();
    }
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn a_generic_payload_may_be_borrowed() {
    let circuit = Circuit::new("crm", Config::default());
    look_up(&circuit, &String::from("7")).unwrap_err();
    look_up(&circuit, "").unwrap_err();
    assert_eq!((circuit.snapshot().marked_answers, circuit.snapshot().failed), (1, 1));
}

#[test]
fn a_rejection_in_a_generic_field_is_found() {
    let elsewhere = Circuit::new("elsewhere", Config::default());
    elsewhere.hold_open();
    let open = || elsewhere.try_acquire().unwrap_err();
    assert!(Generic::Req { error: open() }.rejection().is_some());
    assert!(Generic::Wrapped { err: Arc::new(Box::new(open())) }.rejection().is_some());
    assert!(Generic::Req { error: anyhow::anyhow!("a").context(open()) }.rejection().is_some());
    assert!(Bounded(open()).rejection().is_some());
    assert!(Generic::Req { error: ReadTimeout }.rejection().is_none());
}
