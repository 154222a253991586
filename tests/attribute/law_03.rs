//! Law 3: no slot leaks through the expressions in the attribute. Fails if the judge is created after the admission.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{half_open, ready};
use breaker_core::{Circuit, CircuitOpen, State, TimedOut, breaker};

#[derive(Clone, Copy)]
enum Made {
    Well,
    NotAtAll,
    WithPanic,
}

fn judge<E>(made: Made) -> Result<fn(&E) -> bool, Refused> {
    match made {
        Made::Well => Ok(|_| true),
        Made::NotAtAll => Err(Refused),
        Made::WithPanic => panic!("while the judge is created"),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no judge")]
struct Refused;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
}

type Done = Result<(), Error>;

#[breaker(connection = *circuit, is_failure = judge(made)?)]
async fn later(circuit: &Circuit, made: Made) -> Done {
    std::future::ready(Ok(())).await
}

#[breaker(connection = *circuit, is_failure = judge(made)?, fallback = |_| Ok(()))]
async fn later_or_else(circuit: &Circuit, made: Made) -> Done {
    std::future::ready(Ok(())).await
}

#[breaker(connection = *circuit, is_failure = judge(made)?, is_success = judge(made)?)]
fn at_once(circuit: &Circuit, made: Made) -> Done {
    Ok(())
}

#[breaker(connection = *circuit, is_failure = judge(made)?, fallback = |_| Ok(()))]
fn at_once_or_else(circuit: &Circuit, made: Made) -> Done {
    Ok(())
}

#[breaker(connection = *circuit, is_failure = judge(made)?, timeout = "5s")]
async fn limited(circuit: &Circuit, made: Made) -> Done {
    std::future::ready(Ok(())).await
}

#[breaker(connection = *circuit, is_failure = |_| true, timeout = "5s")]
fn limited_later(circuit: &Circuit) -> impl Future<Output = Done> + use<> {
    async { Ok(()) }
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_cannot_be_created_takes_no_slot() {
    type Call = fn(&Circuit, Made) -> Done;
    let calls: [Call; 4] = [
        |circuit, made| ready(later(circuit, made)),
        |circuit, made| ready(later_or_else(circuit, made)),
        at_once,
        at_once_or_else,
    ];
    for call in calls {
        let circuit = half_open();
        assert!(matches!(call(&circuit, Made::NotAtAll), Err(Error::Refused(_))));
        assert!(catch_unwind(AssertUnwindSafe(|| call(&circuit, Made::WithPanic))).is_err());
        assert_eq!((circuit.state(), circuit.snapshot().failed), (State::HalfOpen, 0), "no call was made");
        // A leaked slot would reject this call.
        drop(call(&circuit, Made::Well));
        assert_ne!(circuit.state(), State::HalfOpen, "the probe decided");
    }
}

#[tokio::test(start_paused = true)]
async fn a_judge_of_a_limited_future_takes_no_slot() {
    let circuit = half_open();
    assert!(matches!(limited(&circuit, Made::NotAtAll).await, Err(Error::Refused(_))));
    limited(&circuit, Made::Well).await.unwrap();
    assert_eq!(circuit.state(), State::Closed);
}

/// Fails if the timer is created after the admission and outside the call.
#[test]
fn a_timer_without_a_runtime_is_a_panic_of_the_call() {
    let circuit = half_open();
    assert!(catch_unwind(AssertUnwindSafe(|| ready(limited(&circuit, Made::Well)))).is_err());
    assert_eq!(circuit.state(), State::Open);
    let circuit = half_open();
    assert!(catch_unwind(AssertUnwindSafe(|| ready(limited_later(&circuit)))).is_err());
    assert_eq!(circuit.state(), State::Open);
}
