//! Law 16: no panic of the breaker's making. Where a user's function is the verdict, its panic counts as Failed and goes
//! on, on every path. Where it only describes, identifies or observes, its panic reaches no caller.

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use crate::common::{CallError, Outcome, block_on, catch, has_free_slot};
use breaker_core::testing::ManualClock;
use breaker_core::{
    CarriesStatus, Circuit, CircuitOpen, Config, Connection, Evidence, FailureRule, Key, ProvesReachable, Registry,
    State, breaker,
};
use futures::{Stream, StreamExt as _, stream};

fn breaking_at(failures: u32) -> Config {
    Config::builder().failure_threshold(failures).build().unwrap()
}

/// A response whose status cannot be read.
#[derive(Debug)]
struct NoStatus;

impl CarriesStatus for NoStatus {
    fn carried_status(&self) -> Option<u16> {
        panic!("in `carried_status`")
    }
}

/// An error whose evidence cannot be computed.
#[derive(Debug)]
struct NoEvidence;

impl fmt::Display for NoEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no evidence")
    }
}

impl Error for NoEvidence {}

impl ProvesReachable for NoEvidence {
    fn evidence(&self) -> Evidence {
        panic!("in `evidence`")
    }
}

impl From<CircuitOpen> for NoEvidence {
    fn from(_: CircuitOpen) -> Self {
        unreachable!("no call of this test is rejected")
    }
}

type Status = Result<NoStatus, CallError>;
type Failing = Result<(), NoEvidence>;

#[breaker(connection = *circuit)]
fn plain(circuit: &Circuit) -> Status {
    Ok(NoStatus)
}

#[breaker(connection = *circuit)]
async fn asynchronous(circuit: &Circuit) -> Status {
    Ok(NoStatus)
}

#[breaker(connection = *circuit, fallback = |_| Err(CallError::Busy))]
async fn with_fallback(circuit: &Circuit) -> Status {
    Ok(NoStatus)
}

#[breaker(connection = *circuit)]
fn boxed(circuit: &Circuit) -> Pin<Box<dyn Future<Output = Status> + Send>> {
    Box::pin(async { Ok(NoStatus) })
}

#[breaker(connection = *circuit)]
fn future(circuit: &Circuit) -> impl Future<Output = Status> + use<> {
    std::future::ready(Ok(NoStatus))
}

#[breaker(connection = *circuit)]
fn streamed(circuit: &Circuit) -> impl Stream<Item = Status> + use<> {
    stream::iter([Ok(NoStatus)])
}

#[breaker(connection = *circuit)]
fn boxed_stream(circuit: &Circuit) -> Pin<Box<dyn Stream<Item = Status> + Send>> {
    Box::pin(stream::iter([Ok(NoStatus)]))
}

#[breaker(connection = *circuit)]
fn evidence(circuit: &Circuit) -> Failing {
    Err(NoEvidence)
}

#[breaker(connection = *circuit)]
async fn evidence_asynchronously(circuit: &Circuit) -> Failing {
    Err(NoEvidence)
}

#[breaker(connection = *circuit)]
fn evidence_in_a_stream(circuit: &Circuit) -> impl Stream<Item = Failing> + use<> {
    stream::iter([Err(NoEvidence)])
}

#[breaker(connection = *circuit, is_failure = |_| panic!("in `is_failure`"))]
fn is_failure(circuit: &Circuit) -> Outcome {
    Err(CallError::Down)
}

#[breaker(connection = *circuit, is_failure = |_| panic!("in `is_failure`"))]
async fn is_failure_asynchronously(circuit: &Circuit) -> Outcome {
    Err(CallError::Down)
}

#[breaker(connection = *circuit, is_success = |()| panic!("in `is_success`"))]
fn is_success(circuit: &Circuit) -> Outcome {
    Ok(())
}

#[breaker(connection = *circuit, is_success = |()| panic!("in `is_success`"))]
fn is_success_in_a_boxed_future(circuit: &Circuit) -> Pin<Box<dyn Future<Output = Outcome>>> {
    Box::pin(async { Ok(()) })
}

#[breaker(connection = *circuit, is_success = |()| panic!("in `is_success`"))]
fn is_success_in_a_stream(circuit: &Circuit) -> impl Stream<Item = Outcome> + use<> {
    stream::iter([Ok(())])
}

/// The calls of a tower service whose parts panic.
mod of_tower {
    use std::task::{Context, Poll};

    use breaker_core::tower::BreakerLayer;
    use tower::{Layer as _, Service, ServiceExt as _, service_fn};

    use super::*;

    #[derive(Clone)]
    pub(super) enum PanicsIn {
        PollReady,
        Call,
        Response,
    }

    impl Service<()> for PanicsIn {
        type Response = NoStatus;
        type Error = CallError;
        type Future = std::future::Ready<Status>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
            assert!(!matches!(self, Self::PollReady), "in `poll_ready`");
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, (): ()) -> Self::Future {
            assert!(!matches!(self, Self::Call), "in `call`");
            std::future::ready(Ok(NoStatus))
        }
    }

    pub(super) fn call(circuit: &Circuit, service: PanicsIn) {
        drop(block_on(BreakerLayer::of(circuit.clone()).layer(service).oneshot(())));
    }

    pub(super) fn judge(circuit: &Circuit) {
        let layer = BreakerLayer::of(circuit.clone())
            .judged_by(|_: Result<&(), &breaker_core::tower::BoxError>| panic!("in `judged_by`"));
        drop(block_on(layer.layer(service_fn(|()| async { Ok::<_, CallError>(()) })).oneshot(())));
    }
}

// Fails for each path on which a user's function runs outside the guard that settles its call.
#[test]
fn a_panic_of_the_verdict_counts_as_failed_on_every_path() {
    type Call = fn(&Circuit);
    let calls: [(&str, Call); 22] = [
        ("plain", |c| drop(plain(c))),
        ("asynchronous", |c| drop(block_on(asynchronous(c)))),
        ("with_fallback", |c| drop(block_on(with_fallback(c)))),
        ("boxed", |c| drop(block_on(boxed(c)))),
        ("future", |c| drop(block_on(future(c)))),
        ("streamed", |c| drop(block_on(streamed(c).collect::<Vec<_>>()))),
        ("boxed_stream", |c| drop(block_on(boxed_stream(c).collect::<Vec<_>>()))),
        ("call_response", |c| drop(c.call_response(|| Status::Ok(NoStatus)))),
        ("call_async_response", |c| drop(block_on(c.call_async_response(async { Status::Ok(NoStatus) })))),
        ("evidence", |c| drop(evidence(c))),
        ("evidence_asynchronously", |c| drop(block_on(evidence_asynchronously(c)))),
        ("evidence_in_a_stream", |c| drop(block_on(evidence_in_a_stream(c).collect::<Vec<_>>()))),
        ("is_failure", |c| drop(is_failure(c))),
        ("is_failure_asynchronously", |c| drop(block_on(is_failure_asynchronously(c)))),
        ("is_success", |c| drop(is_success(c))),
        ("is_success_in_a_boxed_future", |c| drop(block_on(is_success_in_a_boxed_future(c)))),
        ("is_success_in_a_stream", |c| drop(block_on(is_success_in_a_stream(c).collect::<Vec<_>>()))),
        ("call_with", |c| drop(c.call_with(|| Outcome::Ok(()), |_| panic!("in the classifier")))),
        ("tower", |c| of_tower::call(c, of_tower::PanicsIn::Response)),
        ("tower's `poll_ready`", |c| of_tower::call(c, of_tower::PanicsIn::PollReady)),
        ("tower's `call`", |c| of_tower::call(c, of_tower::PanicsIn::Call)),
        ("tower's `judged_by`", of_tower::judge),
    ];
    for (name, call) in calls {
        let clock = ManualClock::new();
        let circuit = Circuit::with_clock("shop", breaking_at(3), clock.clone());
        for failed in 1..=3 {
            assert!(catch(|| call(&circuit)).is_err(), "{name}: the panic reaches the caller");
            assert_eq!((circuit.snapshot().failed, circuit.snapshot().unknown), (failed, 0), "{name}");
        }
        assert_eq!(circuit.state(), State::Open, "{name}");
        clock.advance(Config::default().cooldown());
        assert!(catch(|| call(&circuit)).is_err(), "{name}");
        assert_eq!(circuit.state(), State::Open, "{name}: the probe failed");
        clock.advance(Config::default().cooldown());
        assert!(has_free_slot(&circuit), "{name}");
    }
}

/// An error whose texts and source are broken in one way.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    DisplayPanics,
    DisplayFails,
    SourcePanics,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DisplayPanics => panic!("in `Display`"),
            Self::DisplayFails => Err(fmt::Error),
            Self::SourcePanics => f.write_str("broken"),
        }
    }
}

impl Error for Broken {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        assert!(*self != Self::SourcePanics, "in `source`");
        None
    }
}

/// Derives its evidence, so its source is searched for a rejection.
#[derive(Debug, ProvesReachable)]
#[reachable(never)]
enum Deriving {
    Wrapping(Broken),
    Itself(Broken),
    Rejected(CircuitOpen),
}

impl fmt::Display for Deriving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself(broken) => broken.fmt(f),
            _ => f.write_str("deriving"),
        }
    }
}

impl Error for Deriving {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Wrapping(broken) => Some(broken),
            Self::Itself(broken) => broken.source(),
            Self::Rejected(open) => Some(open),
        }
    }
}

impl From<CircuitOpen> for Deriving {
    fn from(open: CircuitOpen) -> Self {
        Self::Rejected(open)
    }
}

type Boxed = Box<dyn Error + Send + Sync>;

#[breaker(connection = *circuit)]
fn boxed_error(circuit: &Circuit, error: Boxed) -> Result<(), Boxed> {
    Err(error)
}

#[breaker(connection = *circuit)]
fn with_anyhow(circuit: &Circuit, error: anyhow::Error) -> anyhow::Result<()> {
    Err(error)
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn classified(circuit: &Circuit, error: Boxed) -> Result<(), Boxed> {
    Err(error)
}

// Fails if a text is made with `to_string`, which panics with `Display`, or a source is asked outside a containment.
#[test]
fn broken_texts_and_sources_reach_no_caller() {
    let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
    let transport = Config::builder().failure_threshold(100).failure_rule(rule).build().unwrap();
    for broken in [Broken::DisplayPanics, Broken::DisplayFails, Broken::SourcePanics] {
        for config in [breaking_at(100), transport.clone()] {
            let circuit = Circuit::new("shop", config);
            let returned = circuit.call(|| Err::<(), _>(Deriving::Itself(broken)));
            assert!(matches!(returned, Err(Deriving::Itself(returned)) if returned == broken));
            let returned = circuit.call(|| Err::<(), _>(Deriving::Wrapping(broken)));
            assert!(matches!(returned, Err(Deriving::Wrapping(returned)) if returned == broken));
            assert!(boxed_error(&circuit, broken.into()).unwrap_err().is::<Broken>());
            assert!(
                boxed_error(&circuit, Arc::new(Deriving::Wrapping(broken)).into()).unwrap_err().is::<Arc<Deriving>>()
            );
            assert!(boxed_error(&circuit, io::Error::other(broken).into()).unwrap_err().is::<io::Error>());
            assert!(classified(&circuit, broken.into()).unwrap_err().is::<Broken>());
            let context = anyhow::Error::new(broken).context("while syncing");
            assert!(with_anyhow(&circuit, context).unwrap_err().is::<Broken>());
            let context = anyhow::anyhow!("no answer").context(broken);
            assert!(with_anyhow(&circuit, context).unwrap_err().is::<Broken>());
            let seen = circuit.snapshot();
            assert_eq!(seen.failed + seen.unknown, 8, "each call has its evidence: {broken:?}");
        }
    }
}

/// The text before a panic counts.
#[test]
fn the_beginning_of_a_broken_text_is_judged() {
    #[derive(Debug)]
    struct BreaksOff;
    impl fmt::Display for BreaksOff {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the request timed out after ")?;
            panic!("in `Display`")
        }
    }
    impl Error for BreaksOff {}
    let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
    let circuit = Circuit::new("shop", Config::builder().failure_rule(rule).build().unwrap());
    boxed_error(&circuit, BreaksOff.into()).unwrap_err();
    assert_eq!(circuit.snapshot().failed, 1);
}

// Fails if the key is asked after the call was admitted.
#[test]
fn a_key_that_panics_takes_nothing() {
    struct NoKey;
    impl Connection for NoKey {
        fn key(&self) -> Key<'_> {
            panic!("in `key`")
        }
    }
    #[breaker(connection = *connection, registry = registry)]
    fn call(connection: &NoKey, registry: &Registry) -> Outcome {
        Ok(())
    }
    let registry = Registry::new(breaking_at(1));
    assert!(catch(|| registry.circuit(&NoKey.key())).is_err());
    assert!(catch(|| call(&NoKey, &registry)).is_err());
    assert_eq!(registry.len(), 0);
}
