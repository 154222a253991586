//! The argument `timeout`, and other ways in which a call is given up.

use std::pin::Pin;
use std::time::Duration;

use breaker_core::testing::ManualClock;
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

    #[breaker(timeout = " 1 m 30 s ", fallback = |_| Ok(9))]
    async fn patient(&self, takes: Duration) -> Result<u32, CallError> {
        sleep(takes).await;
        Ok(1)
    }
}

/// A limit of more nanoseconds than fit into 64 bits, as a setting may have.
#[breaker(connection = api.circuit, timeout = "300000d")]
async fn unlimited(api: &Api) -> Result<u32, CallError> {
    Ok(api.circuit.snapshot().failed.try_into().unwrap_or(u32::MAX))
}

#[tokio::test(start_paused = true)]
async fn a_limit_may_be_as_long_as_a_setting() {
    assert_eq!(unlimited(&api()).await.unwrap(), 0);
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

/// A client in layers on one circuit, with a `dropped_after` below the timeout of the outer layer.
struct Layers {
    circuit: Circuit,
    clock: ManualClock,
}

#[breaker(connection = self.circuit, blocking)]
impl Layers {
    /// The remote system does not answer.
    async fn transport(&self) -> Result<u32, CallError> {
        self.clock.advance(SHORT + Duration::from_secs(1));
        sleep(LONG).await;
        Ok(1)
    }

    #[breaker(timeout = "5s")]
    async fn client(&self) -> Result<u32, CallError> {
        self.transport().await
    }

    #[breaker(timeout = "5s")]
    fn opaque(&self) -> impl Future<Output = Result<u32, CallError>> {
        self.transport()
    }

    #[breaker(timeout = "5s")]
    fn boxed(&self) -> Pin<Box<dyn Future<Output = Result<u32, CallError>> + '_>> {
        Box::pin(self.transport())
    }

    #[breaker(timeout = "5s", fallback = |_| Ok(9))]
    async fn or_else(&self) -> Result<u32, CallError> {
        self.transport().await
    }

    async fn three_layers(&self) -> Result<u32, CallError> {
        self.client().await
    }

    #[breaker(timeout = "5s")]
    async fn both_limited(&self) -> Result<u32, CallError> {
        self.client().await
    }

    #[breaker(timeout = "5s")]
    async fn all_at_once(&self) -> Result<u32, CallError> {
        futures::try_join!(self.transport(), async { Ok(1) }).map(|(one, other)| one + other)
    }

    async fn without_limit(&self) -> Result<u32, CallError> {
        self.transport().await
    }

    #[breaker(timeout = "5s")]
    async fn with_a_destructor(&self) -> Result<u32, CallError> {
        let _logs_out = LogsOut(self);
        sleep(LONG).await;
        Ok(1)
    }

    fn log_out(&self) -> Result<u32, CallError> {
        Ok(1)
    }
}

struct LogsOut<'c>(&'c Layers);

impl Drop for LogsOut<'_> {
    fn drop(&mut self) {
        assert!(self.0.log_out().is_ok(), "the destructor is a part of the call");
    }
}

fn layers() -> &'static Layers {
    let clock = ManualClock::new();
    let config = Config::builder().dropped_after(SHORT).build().unwrap();
    let circuit = Circuit::with_clock("shop", config, clock.clone());
    Box::leak(Box::new(Layers { circuit, clock }))
}

// Fails if the body is dropped after the verdict of its call: the inner call then counts on its own.
#[tokio::test(start_paused = true)]
async fn a_timeout_and_the_calls_that_it_drops_count_once() {
    type Call = fn(&'static Layers) -> Pin<Box<dyn Future<Output = Result<u32, CallError>>>>;
    let calls: [Call; 8] = [
        |layers| Box::pin(layers.client()),
        |layers| Box::pin(layers.opaque()),
        |layers| layers.boxed(),
        |layers| Box::pin(layers.or_else()),
        |layers| Box::pin(layers.three_layers()),
        |layers| Box::pin(layers.both_limited()),
        |layers| Box::pin(layers.all_at_once()),
        // The caller gives up.
        |layers| {
            Box::pin(async {
                timeout(SHORT, layers.without_limit()).await.unwrap_err();
                Ok(0)
            })
        },
    ];
    for (index, call) in calls.into_iter().enumerate() {
        let layers = layers();
        for failed in 1..=5_u32 {
            assert_eq!(layers.circuit.state(), State::Closed, "call {index} opens too early");
            let _ = call(layers).await;
            let seen = layers.circuit.snapshot();
            assert_eq!(
                (seen.failed, seen.streak),
                (failed.into(), if failed < 5 { failed } else { 0 }),
                "call {index}"
            );
        }
        assert_eq!(layers.circuit.state(), State::Open);
    }
}

// Fails if the destructors of a body that is dropped by its timeout ask for a slot of their own.
#[tokio::test(start_paused = true)]
async fn a_destructor_that_a_timeout_runs_is_part_of_its_call() {
    let layers = layers();
    layers.circuit.trip();
    layers.clock.advance(Config::default().cooldown());
    assert_eq!(layers.circuit.state(), State::HalfOpen);
    assert!(matches!(layers.with_a_destructor().await, Err(CallError::TimedOut(_))));
    assert_eq!((layers.circuit.state(), layers.circuit.snapshot().rejected), (State::Open, 0));
    // In a closed circuit, the answer of the destructor does not clear the streak.
    layers.circuit.reset();
    for streak in 1..5 {
        assert!(matches!(layers.with_a_destructor().await, Err(CallError::TimedOut(_))));
        assert_eq!(layers.circuit.snapshot().streak, streak);
    }
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
