//! The argument `timeout`, and other ways in which a call is given up.

use std::pin::Pin;
use std::time::Duration;

use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable, State, TimedOut, breaker};
use tokio::time::{Instant, sleep, timeout};

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum CallError {
    #[error(transparent)]
    #[reachable(unknown, because = "a timeout of the attribute counts whatever its mark is")]
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
async fn a_call_past_its_limit_is_dropped_and_counts_as_failed() {
    type Call = fn(&'static Api) -> Pin<Box<dyn Future<Output = Result<u32, CallError>>>>;
    let calls: [Call; 3] = [|api| Box::pin(api.call(LONG)), |api| Box::pin(api.opaque(LONG)), |api| api.boxed(LONG)];
    for call in calls {
        let api: &'static Api = Box::leak(Box::new(api()));
        let began = Instant::now();
        // The type of the error declares `unknown`, but a call that exceeds its limit counts nevertheless.
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
async fn a_call_within_its_limit_is_unchanged() {
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
async fn a_timeout_around_a_call_is_a_drop_and_unknown() {
    let circuit = Circuit::new("shop", Config::builder().failure_threshold(1).build().unwrap());
    timeout(SHORT, without_limit(&circuit, LONG)).await.unwrap_err();
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(circuit.snapshot().dropped, 1);
}

macro_rules! chain {
    ($first:ident $second:ident $($rest:ident)*) => {
        #[breaker(connection = *circuit, timeout = "5s")]
        fn $first(circuit: &Circuit) -> impl Future<Output = Result<u32, CallError>> {
            async { Ok($second(circuit).await? + 1) }
        }
        chain!($second $($rest)*);
    };
    ($last:ident) => {
        async fn $last(circuit: &Circuit) -> Result<u32, CallError> {
            let local = [1_u8; 1_000];
            std::future::ready(circuit).await;
            Ok(u32::from(local[0]))
        }
    };
}

chain!(one two three four five six);

// Fails if a body is stored twice, once as created and once as running.
#[tokio::test(start_paused = true)]
async fn a_limit_stores_the_body_once() {
    let circuit = api().circuit;
    let sizes = [
        size_of_val(&one(&circuit)),
        size_of_val(&two(&circuit)),
        size_of_val(&four(&circuit)),
        size_of_val(&five(&circuit)),
        size_of_val(&six(&circuit)),
    ];
    assert_eq!(sizes[0] - sizes[1], sizes[2] - sizes[3], "each level adds as much as the one below it: {sizes:?}");
    assert!(sizes[3] < sizes[4] + 400, "{sizes:?}");
    assert_eq!(one(&circuit).await.unwrap(), 6);
}
