//! The program of a process of the fleet.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::BufRead as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use breaker_core::{Circuit, CircuitOpen, Config, Evidence, Permit, ProvesReachable, Registry, State};
use breaker_redis::{Fleet, Scope};

use super::{ms, quantile, wall};

#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("down")]
    Down,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

impl ProvesReachable for CallError {
    fn evidence(&self) -> Evidence {
        match self {
            Self::Down => Evidence::Failed,
            Self::Rejected(_) => Evidence::Unknown,
        }
    }
}

struct Worker {
    fleet: Fleet,
    registry: Registry,
    reasons: Arc<Mutex<HashMap<String, Vec<&'static str>>>>,
    permit: Option<(Circuit, Permit)>,
    load: Option<(Arc<AtomicBool>, JoinHandle<String>)>,
    events: Arc<Mutex<Vec<String>>>,
}

/// Runs the worker if the test program was started as one.
pub(crate) fn run() {
    let Ok(url) = std::env::var("FLEET_URL") else { return };
    let number = |name: &str| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let time = |name| Duration::from_micros(number(name));
    let scope = if std::env::var("FLEET_SCOPE").unwrap() == "process" { Scope::Process } else { Scope::Fleet };
    let events = Arc::new(Mutex::new(Vec::new()));
    let all_events = events.clone();
    let fleet = Fleet::builder(url)
        .namespace("tests")
        .scope(scope)
        .poll_every(time("FLEET_POLL"))
        // The machine may be busy.
        .operation_limit(ms(200))
        .on_event(move |event| all_events.lock().unwrap().push(event.to_string()))
        .start()
        .unwrap();
    let config = Config::builder()
        .failure_threshold(u32::try_from(number("FLEET_THRESHOLD")).unwrap())
        .cooldown(time("FLEET_COOLDOWN"))
        .probe_lease(time("FLEET_LEASE"))
        .build()
        .unwrap();
    let reasons = Arc::new(Mutex::new(HashMap::<String, Vec<&'static str>>::new()));
    let all = reasons.clone();
    let hook = move |event: &breaker_core::Event| {
        all.lock().unwrap().entry(event.connection.to_string()).or_default().push(event.reason.as_str());
    };
    let registry = Registry::builder().config(config).fleet(fleet.clone()).on_event(hook).build().unwrap();
    let mut worker = Worker { fleet, registry, reasons, permit: None, load: None, events };
    // The test program has started a line of its own.
    println!();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<_> = line.split(' ').collect();
        println!("> {}", worker.obey(&words));
    }
}

impl Worker {
    fn obey(&mut self, words: &[&str]) -> String {
        let number = |position: usize| words[position].parse::<u64>().unwrap();
        let circuit = || self.registry.circuit(words[1]);
        match words[0] {
            "health" => {
                let seen = self.fleet.snapshot();
                let word = |is, yes, no| if is { yes } else { no };
                format!(
                    "{} {} {}",
                    word(seen.connected, "connected", "lost"),
                    word(seen.subscribed, "subscribed", "unsubscribed"),
                    word(seen.refused, "refused", "accepted")
                )
            }
            "dropped" => self.fleet.snapshot().dropped.to_string(),
            "flush" => self.fleet.flush(ms(number(1))).to_string(),
            "events" => self.events.lock().unwrap().join("; "),
            "reasons" => self.reasons.lock().unwrap().get(words[1]).map(|all| all.join(", ")).unwrap_or_default(),
            "state" => circuit().state().to_string(),
            "held" => circuit().snapshot().held.to_string(),
            "stale" => circuit().snapshot().stale.to_string(),
            "fail" => call(&circuit(), number(2), false).to_string(),
            "succeed" => call(&circuit(), number(2), true).to_string(),
            "trip" => at_once(|| circuit().trip()),
            "hold" => at_once(|| circuit().hold_open()),
            "reset" => at_once(|| circuit().reset()),
            "await" => await_state(&circuit(), words[2], ms(number(3))),
            "probe" => {
                let circuit = circuit();
                self.permit = acquire(&circuit, ms(number(2))).map(|permit| (circuit, permit));
                self.permit.is_some().to_string()
            }
            "settle" => {
                let (circuit, permit) = self.permit.take().expect("no permit");
                let stale = circuit.snapshot().stale;
                permit.settle(if words[1] == "answered" { Evidence::Answered } else { Evidence::Failed });
                word_of(circuit.snapshot().stale > stale).to_owned()
            }
            "storm" => storm(&self.registry, number(1), number(2), number(3)),
            "hunt" => hunt(&circuit(), number(2), ms(number(3))),
            "load" => self.load(words[1]),
            other => panic!("{other}?"),
        }
    }

    /// Starts calls of a healthy connection, or stops them and returns their results.
    fn load(&mut self, word: &str) -> String {
        if word == "start" {
            let (end, registry) = (Arc::new(AtomicBool::new(false)), self.registry.clone());
            let ended = end.clone();
            self.load = Some((end, thread::spawn(move || calls_until(&registry, &ended))));
            return "started".to_owned();
        }
        let (end, thread) = self.load.take().expect("no load");
        end.store(true, Ordering::Relaxed);
        thread.join().unwrap()
    }
}

fn word_of(is_stale: bool) -> &'static str {
    if is_stale { "stale" } else { "accepted" }
}

/// Runs a command. Returns when it started.
fn at_once(act: impl FnOnce()) -> String {
    let start = wall();
    act();
    start.to_string()
}

/// Makes calls until one is rejected. Returns how many were admitted.
fn call(circuit: &Circuit, times: u64, answers: bool) -> u64 {
    for made in 0..times {
        let result = circuit.call(|| if answers { Ok(()) } else { Err(CallError::Down) });
        if matches!(result, Err(CallError::Rejected(_))) {
            return made;
        }
    }
    times
}

/// Waits for a state. Returns when it was first seen.
fn await_state(circuit: &Circuit, state: &str, within: Duration) -> String {
    let start = Instant::now();
    while circuit.state().as_str() != state {
        if start.elapsed() > within {
            return format!("not {state} but {} within {within:?}", circuit.state());
        }
        thread::sleep(Duration::from_micros(20));
    }
    wall().to_string()
}

fn acquire(circuit: &Circuit, within: Duration) -> Option<Permit> {
    let start = Instant::now();
    loop {
        match circuit.try_acquire() {
            Ok(permit) => return Some(permit),
            Err(_) if start.elapsed() > within => return None,
            Err(_) => thread::sleep(Duration::from_micros(50)),
        }
    }
}

/// Acquires a permit of a half-open circuit. A permit of a closed circuit is not a probe and is dropped.
fn acquire_probe(circuit: &Circuit) -> Option<Permit> {
    let is_half_open = || circuit.state() == State::HalfOpen;
    let permit = if is_half_open() { circuit.try_acquire().ok() } else { None };
    if permit.is_none() {
        thread::sleep(Duration::from_micros(50));
    }
    permit.filter(|_| is_half_open())
}

/// Fails a connection in each round until it is open. Rounds start at the same moments in all processes. Returns the
/// number of connections that are open.
fn storm(registry: &Registry, start: u64, rounds: u64, every: u64) -> String {
    let mut open = 0;
    for round in 0..rounds {
        let circuit = registry.circuit(&format!("storm-{round}"));
        let begin = start + round * every;
        while wall() < begin {
            thread::sleep(Duration::from_micros(begin.saturating_sub(wall()).min(100)));
        }
        while circuit.state() == State::Closed {
            call(&circuit, 1, false);
        }
        open += u64::from(circuit.state() == State::Open);
    }
    open.to_string()
}

/// Probes without end, and prints when each probe started and ended, and how. Some probes overrun their lease, some
/// forget their permit, and some crash the process.
fn hunt(circuit: &Circuit, seed: u64, lease: Duration) -> String {
    let mut random = seed;
    loop {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if circuit.state() == State::Closed {
            call(circuit, 1, false);
        }
        let Some(permit) = acquire_probe(circuit) else { continue };
        let start = wall();
        let stale = circuit.snapshot().stale;
        let how = (random >> 33) % 1_000;
        let end = |how: &str, is_stale: bool| println!("> {start} {} {how} {}", wall(), word_of(is_stale));
        let is_stale = || circuit.snapshot().stale > stale;
        match how {
            0..30 => {
                thread::sleep(lease + ms(5));
                permit.settle(Evidence::Answered);
                end("overran", is_stale());
            }
            30..50 => {
                std::mem::forget(permit);
                end("forgot", false);
            }
            50..55 => {
                end("crashed", false);
                std::process::abort();
            }
            55..100 => {
                drop(permit);
                end("dropped", is_stale());
            }
            100..300 => {
                thread::sleep(Duration::from_micros(200));
                permit.settle(Evidence::Answered);
                end("answered", is_stale());
            }
            _ => {
                thread::sleep(Duration::from_micros(200));
                permit.settle(Evidence::Failed);
                end("failed", is_stale());
            }
        }
    }
}

/// Calls a healthy connection of which every tenth call fails, so that reports are always due. Returns how many calls
/// were made and rejected, and the time that the breaker took: median, 99th percentile and maximum, in nanoseconds.
fn calls_until(registry: &Registry, end: &AtomicBool) -> String {
    let (mut rejected, mut taken) = (0, Vec::new());
    for number in 0_u64.. {
        if end.load(Ordering::Relaxed) {
            break;
        }
        let start = Instant::now();
        let circuit = registry.circuit("healthy");
        let result = circuit.call(|| if number % 10 == 0 { Err(CallError::Down) } else { Ok(()) });
        taken.push(u64::try_from(start.elapsed().as_nanos()).unwrap());
        rejected += u64::from(matches!(result, Err(CallError::Rejected(_))));
        thread::sleep(Duration::from_micros(200));
    }
    let mut answer = format!("{} {rejected}", taken.len());
    for share in [0.5, 0.99, 1.0] {
        let _ = write!(answer, " {}", quantile(&mut taken, share));
    }
    answer
}
