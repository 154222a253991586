//! Law 6: a rejection that an error passes on is not evidence for an outer circuit, even if `is_failure` returns true.
//! Fails if `is_failure` alone decides.

use std::error::Error;
use std::io;

use crate::common::{breaking_at, ready};
use breaker_core::{Circuit, CircuitOpen, Evidence, State, breaker};

/// Without marks, so its source decides.
#[derive(Debug, thiserror::Error)]
enum Unmarked {
    #[error("the other system is down")]
    Elsewhere(#[from] CircuitOpen),
    #[error("a failure")]
    Failure,
}

/// Has a lifetime, so it is not `'static`.
#[derive(Debug, thiserror::Error)]
#[error("of {name}")]
struct Named<'n> {
    name: &'n str,
    source: Unmarked,
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn unmarked(circuit: &Circuit, error: Unmarked) -> Result<(), Unmarked> {
    Err(error)
}

#[breaker(connection = *circuit, is_failure = |_| true, fallback = |_| Ok(()))]
async fn borrowing<'n>(circuit: &Circuit, name: &'n str, source: Unmarked) -> Result<(), Named<'n>> {
    std::future::ready(Err(Named { name, source })).await
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn with_anyhow(circuit: &Circuit, error: Unmarked) -> impl Future<Output = anyhow::Result<()>> + use<> {
    std::future::ready(Err(anyhow::Error::new(error).context("while syncing")))
}

#[breaker(connection = *circuit, is_failure = |_| true, timeout = "5s")]
async fn limited(circuit: &Circuit, error: Unmarked) -> anyhow::Result<()> {
    std::future::ready(Err(error.into())).await
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn boxed(circuit: &Circuit, error: Unmarked) -> Result<(), Box<dyn Error + Send + Sync>> {
    Err(error.into())
}

#[breaker(connection = *circuit, is_failure = |_| true, fallback = |_| Ok(()))]
fn with_io(circuit: &Circuit, error: Unmarked) -> io::Result<()> {
    Err(io::Error::other(error))
}

struct Api<Fault> {
    circuit: Circuit,
    fault: fn(Unmarked) -> Fault,
}

#[breaker(connection = self.circuit, is_failure = |_| true, fallback = |_| Ok(()))]
impl<Fault: Error> Api<Fault> {
    async fn generic(&self, error: Unmarked) -> Result<(), Fault> {
        std::future::ready(Err((self.fault)(error))).await
    }
}

#[tokio::test(start_paused = true)]
async fn is_failure_does_not_make_a_rejection_evidence() {
    type Call = fn(&Circuit, Unmarked);
    let calls: [Call; 7] = [
        |circuit, error| drop(unmarked(circuit, error)),
        |circuit, error| drop(ready(borrowing(circuit, "shop", error))),
        |circuit, error| drop(ready(with_anyhow(circuit, error))),
        |circuit, error| drop(ready(limited(circuit, error))),
        |circuit, error| drop(boxed(circuit, error)),
        |circuit, error| drop(with_io(circuit, error)),
        |circuit, error| drop(ready(Api { circuit: circuit.clone(), fault: |error| error }.generic(error))),
    ];
    let elsewhere = Circuit::new("crm", breaking_at(1));
    elsewhere.hold_open();
    for (position, call) in calls.into_iter().enumerate() {
        let circuit = Circuit::new("shop", breaking_at(1));
        call(&circuit, elsewhere.try_acquire().unwrap_err().into());
        assert_eq!((circuit.snapshot().failed, circuit.snapshot().unknown), (0, 1), "call {position}");
        call(&circuit, Unmarked::Failure);
        assert_eq!(circuit.state(), State::Open, "call {position}");
    }
}

/// The classifier of a circuit's own methods decides, and it receives the rejection of another circuit.
#[test]
fn a_classifier_can_return_unknown() {
    let (circuit, elsewhere) = (Circuit::new("shop", breaking_at(1)), Circuit::new("crm", breaking_at(1)));
    elsewhere.hold_open();
    let body = || -> Result<(), Unmarked> { Err(elsewhere.try_acquire().unwrap_err().into()) };
    let careful = |result: &Result<(), Unmarked>| match result {
        Ok(()) => Evidence::Answered,
        Err(Unmarked::Elsewhere(_)) => Evidence::Unknown,
        Err(Unmarked::Failure) => Evidence::Failed,
    };
    circuit.call_with(body, careful).unwrap_err();
    ready(circuit.call_async_with(async { body() }, careful)).unwrap_err();
    assert_eq!((circuit.snapshot().failed, circuit.snapshot().unknown), (0, 2));
    circuit.call_with(body, |_| Evidence::Failed).unwrap_err();
    assert_eq!(circuit.state(), State::Open, "its spelling is not corrected");
}
