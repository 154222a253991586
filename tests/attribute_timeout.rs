//! `timeout = ".."`, and the other ways in which a call is given up.

use std::pin::Pin;
use std::time::Duration;

use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable, State, TimedOut, breaker};
use tokio::time::{Instant, sleep, timeout};

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum CallError {
    #[error(transparent)]
    #[reachable(unknown)]
    TimedOut(#[from] TimedOut),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

struct Api {
    circuit: Circuit,
}

#[breaker(connection = self.circuit, timeout = "5s")]
impl Api {
    async fn call(&self, takes: Duration) -> Result<u32, CallError> {
        sleep(takes).await;
        Ok(1)
    }

    fn opaque(&self, takes: Duration) -> impl Future<Output = Result<u32, CallError>> + Send + use<> {
        async move {
            sleep(takes).await;
            Ok(1)
        }
    }

    fn boxed(&self, takes: Duration) -> Pin<Box<dyn Future<Output = Result<u32, CallError>> + Send + '_>> {
        Box::pin(async move {
            sleep(takes).await;
            Ok(1)
        })
    }

    #[breaker(timeout = "1m 30s", fallback = |_| Ok(9))]
    async fn patient(&self, takes: Duration) -> Result<u32, CallError> {
        sleep(takes).await;
        Ok(1)
    }
}

fn api() -> Api {
    Api { circuit: Circuit::new("shop", Config::builder().failure_threshold(1).build().unwrap()) }
}

const SHORT: Duration = Duration::from_secs(4);
const LONG: Duration = Duration::from_hours(1);

#[tokio::test(start_paused = true)]
async fn past_its_limit_a_call_is_dropped_and_counts_as_failed() {
    type Call = fn(&'static Api) -> Pin<Box<dyn Future<Output = Result<u32, CallError>>>>;
    let calls: [Call; 3] = [|api| Box::pin(api.call(LONG)), |api| Box::pin(api.opaque(LONG)), |api| api.boxed(LONG)];
    for call in calls {
        let api: &'static Api = Box::leak(Box::new(api()));
        let began = Instant::now();
        // The type of the error says `unknown`; that a limit was passed counts all the same.
        assert!(
            matches!(call(api).await, Err(CallError::TimedOut(timed_out)) if timed_out.limit() == Duration::from_secs(5))
        );
        assert_eq!(began.elapsed().as_secs(), 5);
        assert_eq!(api.circuit.state(), State::Open);
        assert_eq!(api.circuit.snapshot().last_failure.unwrap().error, Some(std::any::type_name::<TimedOut>()));
        assert!(matches!(call(api).await, Err(CallError::Rejected(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn within_its_limit_it_is_as_without() {
    let api = api();
    assert_eq!(api.call(SHORT).await.unwrap(), 1);
    assert_eq!(api.opaque(SHORT).await.unwrap(), 1);
    assert_eq!(api.boxed(SHORT).await.unwrap(), 1);
    assert_eq!(api.patient(SHORT * 10).await.unwrap(), 1);
    assert_eq!(api.circuit.state(), State::Closed);
    api.circuit.hold_open();
    assert_eq!(api.patient(SHORT).await.unwrap(), 9);
}

#[breaker(connection = *circuit)]
async fn without_limit(circuit: &Circuit, takes: Duration) -> Result<(), CallError> {
    sleep(takes).await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_a_call_is_a_drop_that_says_nothing() {
    let circuit = Circuit::new("shop", Config::builder().failure_threshold(1).build().unwrap());
    timeout(SHORT, without_limit(&circuit, LONG)).await.unwrap_err();
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(circuit.snapshot().dropped, 1);
}
