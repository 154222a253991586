//! Runs scenarios that are easy to get wrong with each circuit breaker and prints a table of their behaviour.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::sleep;
use std::time::Duration;

use breaker::CircuitBreakerError as BreakerError;
use breaker_benches::remote::{FAILING, IN_STOCK, MISSING, ShopError, stock_now};
use breaker_benches::rivals::{self, Body, Setup};
use breaker_core::{Circuit, Config};
use breaker_machines::CircuitError as MachinesError;
use failsafe::futures::CircuitBreaker as _;
use layered::Service as _;
use tower::ServiceExt as _;
use tower_resilience_circuitbreaker::CircuitBreakerError as TowerError;

const COOLDOWN: Duration = Duration::from_millis(60);
/// Longer than the cooldown and the lease of a probe together.
const LONG_WAIT: Duration = Duration::from_millis(200);
/// The lease of a probe of breaker-core.
const LEASE: Duration = Duration::from_millis(60);
const SETUP: Setup = Setup { failures: 5, cooldown: COOLDOWN };

/// The message of panics that belong to a scenario. The panic hook does not print them.
const ON_PURPOSE: &str = "on purpose";

/// Whether the circuit breaker admitted a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admission {
    Admitted,
    Rejected,
}

type PendingCall<'b> = Pin<Box<dyn Future<Output = Admission> + 'b>>;

/// Guards a call with the circuit breaker of a scenario.
type BreakerFn<'b> = &'b dyn Fn(Body) -> PendingCall<'b>;

/// The article whose result is the answer to waiting calls. It is zero, and the calls wait, until it is set.
#[derive(Clone, Default)]
struct Answer(Arc<AtomicU64>);

impl Answer {
    fn set(&self, article: u64) {
        self.0.store(article, Ordering::Release);
    }

    /// Returns a call that waits for this answer. It increments `started` when it starts.
    fn pending_call(&self, started: &Arc<AtomicUsize>) -> Body {
        let (answer, started) = (self.clone(), Arc::clone(started));
        Box::pin(async move {
            started.fetch_add(1, Ordering::AcqRel);
            std::future::poll_fn(|_| match answer.0.load(Ordering::Acquire) {
                0 => Poll::Pending,
                article => Poll::Ready(stock_now(article)),
            })
            .await
        })
    }
}

fn poll(call: &mut PendingCall<'_>) -> Poll<Admission> {
    call.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn poll_to_end(mut call: PendingCall<'_>) -> Admission {
    loop {
        if let Poll::Ready(admission) = poll(&mut call) {
            return admission;
        }
    }
}

/// Makes one call that the shop answers at once.
fn call(breaker: BreakerFn<'_>, article: u64) -> Admission {
    poll_to_end(breaker(Box::pin(async move { stock_now(article) })))
}

fn is_admitting(breaker: BreakerFn<'_>) -> bool {
    call(breaker, IN_STOCK) == Admission::Admitted
}

/// Starts a call that waits for an answer.
fn start_call<'b>(breaker: BreakerFn<'b>, answer: &Answer) -> PendingCall<'b> {
    let mut call = breaker(answer.pending_call(&Arc::default()));
    let _ = poll(&mut call);
    call
}

fn open(breaker: BreakerFn<'_>) {
    let opens = (0..50).any(|_| call(breaker, FAILING) == Admission::Rejected);
    assert!(opens, "{ON_PURPOSE}");
}

fn open_and_wait(breaker: BreakerFn<'_>) {
    open(breaker);
    sleep(COOLDOWN * 3 / 2);
}

fn admitted_after_cooldown(breaker: BreakerFn<'_>) -> String {
    open_and_wait(breaker);
    let (answer, started) = (Answer::default(), Arc::default());
    let mut calls: Vec<_> = (0..64).map(|_| breaker(answer.pending_call(&started))).collect();
    for call in &mut calls {
        let _ = poll(call);
    }
    started.load(Ordering::Acquire).to_string()
}

/// Waits until any cooldown and lease is over, and returns whether calls are admitted then, as text.
fn recovery(breaker: BreakerFn<'_>) -> String {
    sleep(LONG_WAIT);
    if is_admitting(breaker) { "recovers" } else { "stuck" }.into()
}

fn probe_hangs(breaker: BreakerFn<'_>) -> String {
    open_and_wait(breaker);
    let _probe = start_call(breaker, &Answer::default());
    recovery(breaker)
}

/// Ends a call from before the opening while a probe runs, and then ends the probe. Returns whether calls are admitted
/// afterwards. The two articles select the results of the late call and of the probe.
fn admits_after_late_call(breaker: BreakerFn<'_>, late_article: u64, probe_article: u64) -> bool {
    let (late_answer, probe_answer) = (Answer::default(), Answer::default());
    let late = start_call(breaker, &late_answer);
    open_and_wait(breaker);
    let probe = start_call(breaker, &probe_answer);
    late_answer.set(late_article);
    poll_to_end(late);
    probe_answer.set(probe_article);
    poll_to_end(probe);
    is_admitting(breaker)
}

fn late_success(breaker: BreakerFn<'_>) -> String {
    if admits_after_late_call(breaker, IN_STOCK, FAILING) { "circuit closes" } else { "probe decides" }.into()
}

fn late_failure(breaker: BreakerFn<'_>) -> String {
    if admits_after_late_call(breaker, FAILING, IN_STOCK) { "probe decides" } else { "circuit opens" }.into()
}

fn results_of_an_earlier_era(breaker: BreakerFn<'_>) -> String {
    let answer = Answer::default();
    let late: Vec<_> = (0..10).map(|_| start_call(breaker, &answer)).collect();
    open_and_wait(breaker);
    for _ in 0..10 {
        call(breaker, IN_STOCK);
    }
    answer.set(FAILING);
    late.into_iter().map(poll_to_end).for_each(|admission| assert_eq!(admission, Admission::Admitted));
    if is_admitting(breaker) { "stays closed" } else { "circuit opens" }.into()
}

fn marked_errors_while_half_open(breaker: BreakerFn<'_>) -> String {
    open_and_wait(breaker);
    for _ in 0..3 {
        call(breaker, MISSING);
    }
    if call(breaker, IN_STOCK) == Admission::Rejected {
        return "opens".into();
    }
    open_and_wait(breaker);
    for _ in 0..3 {
        call(breaker, MISSING);
    }
    // One failure opens a half-open circuit again, but not a closed one.
    call(breaker, FAILING);
    if is_admitting(breaker) { "closes" } else { "stays half-open" }.into()
}

fn call_that_panics(breaker: BreakerFn<'_>) {
    let call = breaker(Box::pin(async { panic!("{ON_PURPOSE}") }));
    let _ = catch_unwind(AssertUnwindSafe(|| poll_to_end(call)));
}

fn ten_panics(breaker: BreakerFn<'_>) -> String {
    for _ in 0..10 {
        call_that_panics(breaker);
    }
    if is_admitting(breaker) { "not counted" } else { "counted" }.into()
}

fn probe_panics(breaker: BreakerFn<'_>) -> String {
    open_and_wait(breaker);
    call_that_panics(breaker);
    recovery(breaker)
}

fn probe_is_dropped(breaker: BreakerFn<'_>) -> String {
    open_and_wait(breaker);
    drop(start_call(breaker, &Answer::default()));
    recovery(breaker)
}

type Scenario = fn(BreakerFn<'_>) -> String;

const SCENARIOS: [(&str, Scenario); 9] = [
    ("callers admitted at the end of the cooldown, of 64", admitted_after_cooldown),
    ("a probe hangs", probe_hangs),
    ("a call from before the opening succeeds while a probe runs", late_success),
    ("a call from before the opening fails while a probe runs", late_failure),
    ("ten calls from before an opening fail after the circuit has closed again", results_of_an_earlier_era),
    ("half-open, and every answer is \"no such article\"", marked_errors_while_half_open),
    ("ten calls panic", ten_panics),
    ("a probe panics", probe_panics),
    ("a probe is dropped", probe_is_dropped),
];

/// Runs all scenarios, each with a new circuit breaker, and returns a column of the table.
fn column(name: &'static str, with_a_breaker: impl Fn(&dyn Fn(BreakerFn<'_>))) -> (&'static str, Vec<String>) {
    let column = SCENARIOS.iter().map(|(_, scenario)| {
        let result = std::cell::RefCell::new(String::new());
        with_a_breaker(&|breaker| {
            let scenario = catch_unwind(AssertUnwindSafe(|| scenario(breaker)));
            *result.borrow_mut() = scenario.unwrap_or_else(|_| "does not open".into());
        });
        result.into_inner()
    });
    (name, column.collect())
}

/// Awaits a guarded call and returns whether it was admitted. Each crate has its own pattern for a rejection.
macro_rules! admission {
    ($call:expr, $rejected:pat) => {{
        let call = $call;
        Box::pin(
            async move { if matches!(call.await, Err($rejected)) { Admission::Rejected } else { Admission::Admitted } },
        )
    }};
}

fn breaker_core(run: &dyn Fn(BreakerFn<'_>)) {
    let config = Config::builder().failure_threshold(SETUP.failures).cooldown(COOLDOWN).probe_lease(LEASE).build();
    let circuit = Circuit::new("shop-7", config.expect("in range"));
    run(&|body| admission!(circuit.call_async(body), ShopError::Rejected(_)));
}

fn main() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload_as_str().is_none_or(|message| message != ON_PURPOSE) {
            default_hook(info);
        }
    }));
    let runtime = rivals::runtime();
    let _inside = runtime.enter();
    let columns = [
        column("breaker-core", |run| breaker_core(run)),
        column("recloser", |run| {
            let breaker = rivals::Recloser::new(SETUP);
            let is_failure: fn(&ShopError) -> bool = rivals::is_failure;
            run(&|body| admission!(breaker.0.call_with(is_failure, body), recloser::Error::Rejected));
        }),
        column("failsafe", |run| {
            let breaker = rivals::Failsafe::new(SETUP);
            let is_failure: fn(&ShopError) -> bool = rivals::is_failure;
            run(&|body| admission!(breaker.0.call_with(is_failure, body), failsafe::Error::Rejected));
        }),
        column("tower-resilience", |run| {
            let breaker = rivals::tower_resilience(SETUP, std::convert::identity);
            run(&|body| admission!(breaker.0.clone().oneshot(body), TowerError::OpenCircuit));
        }),
        column("seatbelt", |run| {
            let breaker = rivals::seatbelt(SETUP, std::convert::identity);
            run(&|body| admission!(breaker.0.execute(body), ShopError::RejectedByRival));
        }),
        column("breaker", |run| {
            let breaker = rivals::Breaker::new(SETUP);
            run(&|body| admission!(breaker.0.call(|| body), BreakerError::CircuitOpen | BreakerError::Rejected));
        }),
        column("breaker-machines", |run| {
            let breaker = rivals::BreakerMachines::new(SETUP);
            run(&|body| {
                admission!(
                    breaker.0.call(|| body),
                    MachinesError::Open { .. } | MachinesError::HalfOpenLimitReached { .. }
                )
            });
        }),
        column("nobreak", |run| {
            let breaker = rivals::Nobreak::new(SETUP);
            run(&|body| admission!(breaker.0.call_async(|| body), nobreak::CircuitError::Open));
        }),
        column("circuitbreaker-rs", |run| {
            let breaker = rivals::CircuitbreakerRs::new(SETUP);
            run(&|body| admission!(breaker.0.call_async(|| body), circuitbreaker_rs::BreakerError::Open));
        }),
    ];
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    println!("| | {} |\n|---{}|", names.join(" | "), "|---".repeat(columns.len()));
    for (row, (scenario, _)) in SCENARIOS.iter().enumerate() {
        let cells: Vec<_> = columns.iter().map(|(_, column)| column[row].as_str()).collect();
        println!("| {scenario} | {} |", cells.join(" | "));
    }
}
