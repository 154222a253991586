//! The behaviour of each circuit breaker in the scenarios that are easy to get wrong, as a table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::sleep;
use std::time::Duration;

use breaker::CircuitBreakerError as OfBreaker;
use breaker_benches::remote::{IN_STOCK, MISSING, POISON, ShopError, stock_now};
use breaker_benches::rivals::{self, Body, Setup};
use breaker_core::{Circuit, Config};
use breaker_machines::CircuitError as Machines;
use failsafe::futures::CircuitBreaker as _;
use layered::Service as _;
use tower::ServiceExt as _;
use tower_resilience_circuitbreaker::CircuitBreakerError as Tower;

const COOLDOWN: Duration = Duration::from_millis(60);
/// Longer than any cooldown and any lease of a probe.
const LONG: Duration = Duration::from_millis(200);
const LEASE: Duration = Duration::from_millis(60);
const SETUP: Setup = Setup { failures: 5, cooldown: COOLDOWN };

const ON_PURPOSE: &str = "on purpose";

/// Whether a call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Made,
    Rejected,
}

type Call<'b> = Pin<Box<dyn Future<Output = Fate> + 'b>>;

/// A way to make guarded calls.
type Breaker<'b> = &'b dyn Fn(Body) -> Call<'b>;

/// The shop's answer to waiting calls: none yet if it is zero.
#[derive(Clone, Default)]
struct Answer(Arc<AtomicU64>);

impl Answer {
    fn give(&self, article: u64) {
        self.0.store(article, Ordering::Release);
    }

    /// A call that waits for this answer and counts when it starts.
    fn awaited(&self, started: &Arc<AtomicUsize>) -> Body {
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

fn poll(call: &mut Call<'_>) -> Poll<Fate> {
    call.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn finish(mut call: Call<'_>) -> Fate {
    loop {
        if let Poll::Ready(fate) = poll(&mut call) {
            return fate;
        }
    }
}

/// One call that the shop answers at once.
fn ask(breaker: Breaker<'_>, article: u64) -> Fate {
    finish(breaker(Box::pin(async move { stock_now(article) })))
}

fn is_admitting(breaker: Breaker<'_>) -> bool {
    ask(breaker, IN_STOCK) == Fate::Made
}

/// A call that has started and waits.
fn begin<'b>(breaker: Breaker<'b>, answer: &Answer) -> Call<'b> {
    let mut call = breaker(answer.awaited(&Arc::default()));
    let _ = poll(&mut call);
    call
}

fn open(breaker: Breaker<'_>) {
    let opens = (0..50).any(|_| ask(breaker, POISON) == Fate::Rejected);
    assert!(opens, "{ON_PURPOSE}");
}

fn open_and_wait(breaker: Breaker<'_>) {
    open(breaker);
    sleep(COOLDOWN * 3 / 2);
}

/// How many of 64 callers are admitted at the end of the cooldown.
fn herd(breaker: Breaker<'_>) -> String {
    open_and_wait(breaker);
    let (answer, started) = (Answer::default(), Arc::default());
    let mut calls: Vec<_> = (0..64).map(|_| breaker(answer.awaited(&started))).collect();
    for call in &mut calls {
        let _ = poll(call);
    }
    started.load(Ordering::Acquire).to_string()
}

fn hung_probe(breaker: Breaker<'_>) -> String {
    open_and_wait(breaker);
    let probe = begin(breaker, &Answer::default());
    sleep(LONG);
    let word = if is_admitting(breaker) { "recovers" } else { "stuck" };
    drop(probe);
    word.into()
}

fn late_success(breaker: Breaker<'_>) -> String {
    let (late_answer, probe_answer) = (Answer::default(), Answer::default());
    let late = begin(breaker, &late_answer);
    open_and_wait(breaker);
    let probe = begin(breaker, &probe_answer);
    late_answer.give(IN_STOCK);
    finish(late);
    probe_answer.give(POISON);
    finish(probe);
    if is_admitting(breaker) { "closes it" } else { "probe decides" }.into()
}

fn late_failure(breaker: Breaker<'_>) -> String {
    let (late_answer, probe_answer) = (Answer::default(), Answer::default());
    let late = begin(breaker, &late_answer);
    open_and_wait(breaker);
    let probe = begin(breaker, &probe_answer);
    late_answer.give(POISON);
    finish(late);
    probe_answer.give(IN_STOCK);
    finish(probe);
    if is_admitting(breaker) { "probe decides" } else { "reopens it" }.into()
}

fn results_of_an_earlier_era(breaker: Breaker<'_>) -> String {
    let answer = Answer::default();
    let late: Vec<_> = (0..10).map(|_| begin(breaker, &answer)).collect();
    open_and_wait(breaker);
    for _ in 0..10 {
        ask(breaker, IN_STOCK);
    }
    answer.give(POISON);
    late.into_iter().map(finish).for_each(|fate| assert_eq!(fate, Fate::Made));
    if is_admitting(breaker) { "stays closed" } else { "opens it" }.into()
}

fn negatives(breaker: Breaker<'_>) -> String {
    open_and_wait(breaker);
    for _ in 0..3 {
        ask(breaker, MISSING);
    }
    if ask(breaker, IN_STOCK) == Fate::Rejected {
        return "reopens".into();
    }
    open_and_wait(breaker);
    for _ in 0..3 {
        ask(breaker, MISSING);
    }
    // One failure opens a half-open circuit again, and does not open a closed one.
    ask(breaker, POISON);
    if is_admitting(breaker) { "closes" } else { "stays half-open" }.into()
}

fn panic_in(breaker: Breaker<'_>) {
    let call = breaker(Box::pin(async { panic!("{ON_PURPOSE}") }));
    let _ = catch_unwind(AssertUnwindSafe(|| finish(call)));
}

fn panics(breaker: Breaker<'_>) -> String {
    for _ in 0..10 {
        panic_in(breaker);
    }
    if is_admitting(breaker) { "unnoticed" } else { "count" }.into()
}

fn probe_panics(breaker: Breaker<'_>) -> String {
    open_and_wait(breaker);
    panic_in(breaker);
    sleep(LONG);
    if is_admitting(breaker) { "recovers" } else { "stuck" }.into()
}

fn probe_dropped(breaker: Breaker<'_>) -> String {
    open_and_wait(breaker);
    drop(begin(breaker, &Answer::default()));
    sleep(LONG);
    if is_admitting(breaker) { "recovers" } else { "stuck" }.into()
}

type Scenario = fn(Breaker<'_>) -> String;

const SCENARIOS: [(&str, Scenario); 9] = [
    ("of 64 callers at the end of the cooldown, let in", herd),
    ("a probe hangs", hung_probe),
    ("a call from before the opening succeeds while a probe runs", late_success),
    ("a call from before the opening fails while a probe runs", late_failure),
    ("ten calls from before closed → open → closed fail late", results_of_an_earlier_era),
    ("half-open, the shop answers, with \"no such article\" alone", negatives),
    ("ten calls panic", panics),
    ("a probe panics", probe_panics),
    ("a probe is dropped", probe_dropped),
];

/// Runs all scenarios, each with a breaker of its own.
fn column(name: &'static str, with_a_breaker: impl Fn(&dyn Fn(Breaker<'_>))) -> (&'static str, Vec<String>) {
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

/// The result of a call, where a pattern of the crate recognises a rejection.
macro_rules! fate {
    ($call:expr, $rejected:pat) => {{
        let call = $call;
        Box::pin(async move { if matches!(call.await, Err($rejected)) { Fate::Rejected } else { Fate::Made } })
    }};
}

fn ours(run: &dyn Fn(Breaker<'_>)) {
    let config = Config::builder().failure_threshold(SETUP.failures).cooldown(COOLDOWN).probe_lease(LEASE).build();
    let circuit = Circuit::new("shop-7", config.expect("in range"));
    run(&|body| fate!(circuit.call_async(body), ShopError::Rejected(_)));
}

fn main() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload_as_str().is_none_or(|message| message != ON_PURPOSE) {
            tell(info);
        }
    }));
    let runtime = rivals::runtime();
    let _inside = runtime.enter();
    let columns = [
        column("breaker-core", |run| ours(run)),
        column("recloser", |run| {
            let breaker = rivals::Recloser::new(SETUP);
            let counts: fn(&ShopError) -> bool = rivals::counts;
            run(&|body| fate!(breaker.0.call_with(counts, body), recloser::Error::Rejected));
        }),
        column("failsafe", |run| {
            let breaker = rivals::Failsafe::new(SETUP);
            let counts: fn(&ShopError) -> bool = rivals::counts;
            run(&|body| fate!(breaker.0.call_with(counts, body), failsafe::Error::Rejected));
        }),
        column("tower-resilience", |run| {
            let breaker = rivals::tower_resilience(SETUP, rivals::itself);
            run(&|body| fate!(breaker.0.clone().oneshot(body), Tower::OpenCircuit));
        }),
        column("seatbelt", |run| {
            let breaker = rivals::seatbelt(SETUP, rivals::itself);
            run(&|body| fate!(breaker.0.execute(body), ShopError::Refused));
        }),
        column("breaker", |run| {
            let breaker = rivals::Breaker::new(SETUP);
            run(&|body| fate!(breaker.0.call(|| body), OfBreaker::CircuitOpen | OfBreaker::Rejected));
        }),
        column("breaker-machines", |run| {
            let breaker = rivals::BreakerMachines::new(SETUP);
            run(&|body| fate!(breaker.0.call(|| body), Machines::Open { .. } | Machines::HalfOpenLimitReached { .. }));
        }),
        column("nobreak", |run| {
            let breaker = rivals::Nobreak::new(SETUP);
            run(&|body| fate!(breaker.0.call_async(|| body), nobreak::CircuitError::Open));
        }),
        column("circuitbreaker-rs", |run| {
            let breaker = rivals::CircuitbreakerRs::new(SETUP);
            run(&|body| fate!(breaker.0.call_async(|| body), circuitbreaker_rs::BreakerError::Open));
        }),
    ];
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    println!("| | {} |\n|---{}|", names.join(" | "), "|---".repeat(columns.len()));
    for (row, (scenario, _)) in SCENARIOS.iter().enumerate() {
        let cells: Vec<_> = columns.iter().map(|(_, column)| column[row].as_str()).collect();
        println!("| {scenario} | {} |", cells.join(" | "));
    }
}
