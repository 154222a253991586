//! The subjects that call the shop through the other circuit breakers.
//!
//! Each is set up as its documentation recommends. Where a crate has a setting for it, five failures in a row open the
//! circuit; all other settings have their defaults. Each is measured with its plain call.

use std::pin::Pin;
use std::time::Duration;

use failsafe::futures::CircuitBreaker as _;
use layered::{Execute, Layer as _, Service};
use seatbelt::{RecoveryInfo, ResilienceContext};
use tower::ServiceExt as _;
use tower_resilience_circuitbreaker::CircuitBreakerLayer;

use crate::remote::{FAILING, IN_STOCK, ShopError, Stock, stock};
use crate::subject::{Subject, call_once, subject};

/// The settings that the cases and the scenarios have in common.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub failures: u32,
    pub cooldown: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self { failures: 5, cooldown: Duration::from_mins(1) }
    }
}

/// The call of the shop in a scenario.
pub type Body = Pin<Box<dyn Future<Output = Stock> + Send>>;

/// Returns whether an error counts as a failure. Only some of the crates have a setting for this function.
#[must_use]
pub fn is_failure(error: &ShopError) -> bool {
    !matches!(error, ShopError::NoSuchArticle)
}

pub struct Nobreak(pub nobreak::CircuitBreaker);

impl Nobreak {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let builder = nobreak::builder().with_failure_threshold(setup.failures as usize).with_success_threshold(1);
        Self(builder.with_open_duration(setup.cooldown).build())
    }
}

subject!(Nobreak, Result<u64, nobreak::CircuitError<ShopError>>, |this, article| {
    this.0.call_async(move || stock(article))
});

pub struct Breaker(pub breaker::CircuitBreaker);

impl Breaker {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let config = breaker::CircuitBreakerConfig::builder()
            .consecutive_failures(setup.failures)
            .wait_duration(setup.cooldown)
            .half_open_max_calls(1)
            .success_threshold(1)
            .failure_predicate(is_failure)
            .build();
        Self(breaker::CircuitBreaker::new(config))
    }
}

subject!(Breaker, Result<u64, breaker::CircuitBreakerError<ShopError>>, |this, article| {
    this.0.call(move || stock(article))
});

type FailsafePolicy = failsafe::failure_policy::ConsecutiveFailures<failsafe::backoff::Constant>;

pub struct Failsafe(pub failsafe::StateMachine<FailsafePolicy, ()>);

impl Failsafe {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let backoff = failsafe::backoff::constant(setup.cooldown);
        let policy = failsafe::failure_policy::consecutive_failures(setup.failures, backoff);
        Self(failsafe::Config::new().failure_policy(policy).build())
    }
}

subject!(Failsafe, Result<u64, failsafe::Error<ShopError>>, |this, article| this.0.call(stock(article)));

pub struct Recloser(pub recloser::AsyncRecloser);

impl Recloser {
    /// recloser opens at a failure rate over the last calls, so here all of the last calls must fail.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let builder = recloser::Recloser::custom().error_rate(0.99).closed_len(setup.failures as usize);
        Self(recloser::AsyncRecloser::from(builder.half_open_len(1).open_wait(setup.cooldown).build()))
    }
}

subject!(Recloser, Result<u64, recloser::Error<ShopError>>, |this, article| this.0.call(stock(article)));

type Circuitbreaker = circuitbreaker_rs::CircuitBreaker<circuitbreaker_rs::DefaultPolicy, ShopError>;

pub struct CircuitbreakerRs(pub Circuitbreaker);

impl CircuitbreakerRs {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let builder = Circuitbreaker::builder().cooldown(setup.cooldown).probe_interval(1).consecutive_successes(1);
        Self(builder.consecutive_failures(u64::from(setup.failures)).build())
    }
}

subject!(CircuitbreakerRs, circuitbreaker_rs::BreakerResult<u64, ShopError>, |this, article| {
    this.0.call_async(move || stock(article))
});

pub struct BreakerMachines(pub breaker_machines::AsyncCircuitBreaker);

#[derive(Debug)]
struct ErrorClassifier;

impl breaker_machines::FailureClassifier for ErrorClassifier {
    fn should_trip(&self, context: &breaker_machines::FailureContext<'_>) -> bool {
        context.error.downcast_ref::<ShopError>().is_none_or(is_failure)
    }
}

impl BreakerMachines {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let builder = breaker_machines::AsyncCircuitBreaker::builder("shop-7")
            .failure_threshold(setup.failures as usize)
            .half_open_timeout_secs(setup.cooldown.as_secs_f64())
            .success_threshold(1)
            .failure_classifier(std::sync::Arc::new(ErrorClassifier));
        Self(builder.build_async())
    }
}

subject!(BreakerMachines, Result<u64, breaker_machines::CircuitError<ShopError>>, |this, article| {
    this.0.call(move || stock(article))
});

/// A service of `layered`, because seatbelt is a layer of such services.
pub struct Seatbelt<S>(pub S);

/// Wraps a function with seatbelt. Must be called inside a Tokio runtime, which provides the clock.
pub fn seatbelt<In: Send + 'static, F: Future<Output = Stock> + Send + 'static>(
    setup: Setup,
    inner: impl Fn(In) -> F + Send + Sync + 'static,
) -> Seatbelt<impl Service<In, Out = Stock>> {
    let context = ResilienceContext::new(tick::Clock::new_tokio());
    // seatbelt opens at a failure rate over a time window.
    let layer = seatbelt::breaker::Breaker::layer("shop-7", &context)
        .recovery_with(|stock: &Stock, _| match stock {
            Err(error) if is_failure(error) => RecoveryInfo::retry(),
            _ => RecoveryInfo::never(),
        })
        .rejected_input_error(|_, _| ShopError::RejectedByRival)
        .failure_threshold(0.9)
        .min_throughput(setup.failures)
        .half_open_mode(seatbelt::breaker::HalfOpenMode::quick())
        .break_duration(setup.cooldown);
    Seatbelt(layer.layer(Execute::new(inner)))
}

impl<S: Service<u64, Out = Stock>> Subject for Seatbelt<S> {
    type Output = Stock;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Stock> {
        self.0.execute(article)
    }
}

/// A service of `tower`. It is cloned for each call, as users of `tower` do.
pub struct TowerResilience<S>(pub S);

type TowerError = tower_resilience_circuitbreaker::CircuitBreakerError<ShopError>;

/// Wraps a function with tower-resilience.
///
/// # Panics
///
/// If a setting is out of range, which does not happen.
pub fn tower_resilience<In: Send + 'static, F: Future<Output = Stock> + Send + 'static>(
    setup: Setup,
    inner: impl Fn(In) -> F + Clone + Send + Sync + 'static,
) -> TowerResilience<impl tower::Service<In, Response = u64, Error = TowerError> + Clone + Sync> {
    let layer = CircuitBreakerLayer::builder()
        .consecutive_failures(setup.failures as usize)
        .wait_duration_in_open(setup.cooldown)
        .permitted_calls_in_half_open(1)
        .failure_classifier(|stock: &Stock| stock.as_ref().is_err_and(is_failure))
        .build()
        .expect("in range");
    TowerResilience(tower::Layer::layer(&layer, tower::service_fn(inner)))
}

impl<S> Subject for TowerResilience<S>
where
    S: tower::Service<u64, Response = u64, Error = TowerError> + Clone + Sync,
{
    type Output = Result<u64, TowerError>;

    #[inline]
    fn call(&self, article: u64) -> impl Future<Output = Self::Output> {
        self.0.clone().oneshot(article)
    }
}

/// Creates a runtime for the crates that need one.
///
/// # Panics
///
/// If the system cannot create one.
#[must_use]
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

/// What the calls of a case meet.
#[derive(Clone, Copy, Debug)]
pub enum Path {
    /// A closed circuit, and an article in stock.
    Success,
    /// A closed circuit that never opens, and a failure.
    Failure,
    /// An open circuit.
    Rejection,
}

/// The names of the cases, in the order in which [`run_all`] runs them.
const SUCCESSES: [&str; 8] = [
    "nobreak",
    "breaker",
    "failsafe",
    "recloser",
    "circuitbreaker-rs",
    "seatbelt",
    "breaker-machines",
    "tower-resilience",
];
const FAILURES: [&str; 8] = [
    "nobreak, failed",
    "breaker, failed",
    "failsafe, failed",
    "recloser, failed",
    "circuitbreaker-rs, failed",
    "seatbelt, failed",
    "breaker-machines, failed",
    "tower-resilience, failed",
];
const REJECTIONS: [&str; 8] = [
    "nobreak, rejected",
    "breaker, rejected",
    "failsafe, rejected",
    "recloser, rejected",
    "circuitbreaker-rs, rejected",
    "seatbelt, rejected",
    "breaker-machines, rejected",
    "tower-resilience, rejected",
];

/// Runs the calls of each rival on one path.
pub fn run_all(runner: &mut impl crate::cases::Runner, path: Path) {
    let setup = match path {
        Path::Success | Path::Rejection => Setup::default(),
        // More failures than a case makes, and few enough for a crate that stores one bit for each.
        Path::Failure => Setup { failures: 100_000_000, ..Setup::default() },
    };
    let (names, article) = match path {
        Path::Success => (SUCCESSES, IN_STOCK),
        Path::Failure => (FAILURES, FAILING),
        Path::Rejection => (REJECTIONS, FAILING),
    };
    let [nobreak, breaker, failsafe, recloser, circuitbreaker_rs, seatbelt_name, machines, tower] = names;
    let runtime = runtime();
    let _inside = runtime.enter();
    // An open circuit rejects the calls of the failing article, too.
    runner.run(nobreak, &ready(Nobreak::new(setup), path), article);
    runner.run(breaker, &ready(Breaker::new(setup), path), article);
    runner.run(failsafe, &ready(Failsafe::new(setup), path), article);
    runner.run(recloser, &ready(Recloser::new(setup), path), article);
    runner.run(circuitbreaker_rs, &ready(CircuitbreakerRs::new(setup), path), article);
    runner.run(seatbelt_name, &ready(seatbelt(setup, stock), path), article);
    runner.run(machines, &ready(BreakerMachines::new(setup), path), article);
    // This crate waits before it rejects, on a timer that needs a runtime on each thread.
    if !matches!(path, Path::Rejection) {
        runner.run(tower, &ready(tower_resilience(setup, stock), path), article);
    }
}

/// Opens the circuit of a subject whose calls are to be rejected.
fn ready<S: Subject>(subject: S, path: Path) -> S {
    if let Path::Rejection = path {
        for _ in 0..20 {
            call_once(&subject, FAILING);
        }
    }
    subject
}
