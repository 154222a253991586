//! Law 10: time is monotonic and saturates. No clock causes a panic or shortens a cooldown.

use std::collections::HashSet;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::common::{COOLDOWN, LEASE, SECOND, TICK, call, circuit, config, fail, half_open, just_before, open, permit};
use breaker_core::testing::EventLog;
use breaker_core::{Circuit, Clock, Config, Evidence, Reason, Registry, RegistryBuilder, State};

/// A clock that returns the time that the test sets.
#[derive(Clone, Default)]
struct Hands(Arc<Mutex<Duration>>);

impl Hands {
    fn show(&self, time: Duration) {
        *self.0.lock().unwrap() = time;
    }
}

impl Clock for Hands {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

fn with_hands(config: Config) -> (Circuit, Hands) {
    let hands = Hands::default();
    (Circuit::with_clock("shop-7", config, hands.clone()), hands)
}

// Fails if `Time::after` wraps, or if a clock can reach `Time::NEVER`.
#[test]
fn an_endless_cooldown_never_ends() {
    for start in [Duration::ZERO, TICK, SECOND, just_before(Duration::MAX), Duration::MAX] {
        let (circuit, hands) = with_hands(config(|config| config.failure_threshold(1).cooldown(Duration::MAX)));
        hands.show(start);
        open(&circuit);
        for now in [start, SECOND, Duration::from_secs(u64::from(u32::MAX)), Duration::MAX] {
            hands.show(now);
            assert_eq!(circuit.state(), State::Open);
            assert!(circuit.try_acquire().is_err());
        }
        circuit.reset();
        assert!(call(&circuit, Evidence::Answered));
    }
}

#[test]
fn a_manual_clock_at_its_end() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1));
    clock.advance(Duration::MAX);
    open(&circuit);
    clock.advance(Duration::MAX);
    // Time stands still at the end of the range, so the cooldown does not end. A reset still works.
    assert_eq!(circuit.state(), State::Open);
    circuit.reset();
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn a_clock_at_its_origin() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(1).failure_window(COOLDOWN));
    half_open(&circuit, &clock);
    assert!(call(&circuit, Evidence::Answered));
    assert_eq!(circuit.state(), State::Closed);
}

// Fails if time can go back: the second cooldown would begin in the past.
#[test]
fn a_clock_that_goes_back_does_not_shorten_a_cooldown() {
    let (circuit, hands) = with_hands(config(|config| config.failure_threshold(1)));
    let noon = Duration::from_secs(1_000);
    hands.show(noon);
    open(&circuit);
    hands.show(Duration::ZERO);
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(circuit.try_acquire().unwrap_err().retry_after(), Some(COOLDOWN));

    circuit.reset();
    open(&circuit);
    hands.show(just_before(noon + COOLDOWN));
    assert_eq!(circuit.state(), State::Open, "it opened at noon, whatever the clock showed meanwhile");
    hands.show(noon + COOLDOWN);
    assert_eq!(circuit.state(), State::HalfOpen);
}

#[test]
fn a_clock_that_goes_back_changes_neither_lease_nor_streak() {
    let (circuit, hands) = with_hands(config(|config| config.failure_threshold(2).failure_window(10 * SECOND)));
    hands.show(100 * SECOND);
    fail(&circuit, 1);
    hands.show(50 * SECOND);
    assert_eq!(circuit.snapshot().streak, 1);
    fail(&circuit, 1);
    assert_eq!(circuit.state(), State::Open);
    hands.show(100 * SECOND + COOLDOWN);
    let probe = permit(&circuit);
    hands.show(Duration::ZERO);
    assert!(circuit.try_acquire().is_err());
    hands.show(just_before(100 * SECOND + COOLDOWN + LEASE));
    assert!(circuit.try_acquire().is_err());
    probe.settle(Evidence::Answered);
    assert_eq!(circuit.snapshot().last_answer.unwrap().age, Duration::ZERO);
}

// Fails if the start of a call loses its high bits: on a clock that returns decades, each call would seem to have run
// that long.
#[test]
fn the_age_of_a_call_does_not_depend_on_the_origin_of_the_clock() {
    let years = |years: u64| Duration::from_secs(years * 31_557_600);
    for start in [Duration::ZERO, years(1), years(18), years(19), years(40), years(500)] {
        for (age, fails) in [(Duration::ZERO, false), (10 * SECOND, false), (11 * SECOND, true), (years(1), true)] {
            let (circuit, hands) = with_hands(config(|config| config.failure_threshold(2).dropped_after(10 * SECOND)));
            hands.show(start);
            let dropped = permit(&circuit);
            hands.show(start + age);
            drop(dropped);
            assert_eq!(circuit.snapshot().streak, u32::from(fails), "{age:?} old, after {start:?}");
        }
    }
}

// Fails if a time in the future yields a negative age.
#[test]
fn every_setting_at_its_maximum() {
    let longest = Duration::MAX;
    let settings = Config::builder()
        .failure_threshold(2)
        .failure_window(longest)
        .failure_rate(1.0, u32::MAX, longest)
        .cooldown(longest)
        .cooldown_growth(f64::MAX, longest)
        .cooldown_jitter(1.0)
        .probe_lease(longest)
        .dropped_after(longest)
        .half_open_probes(u32::MAX)
        .inconclusive_probes(u32::MAX)
        .build()
        .unwrap();
    let (circuit, hands) = with_hands(settings);
    for now in [longest, Duration::ZERO, SECOND, longest] {
        hands.show(now);
        fail(&circuit, 1);
        drop(permit(&circuit));
        fail(&circuit, 1);
        let snapshot = circuit.snapshot();
        assert_eq!(snapshot.state, State::Open);
        assert!(snapshot.retry_after.is_some());
        circuit.reset();
    }
}

#[test]
fn a_growing_cooldown_saturates() {
    let growing = |config: breaker_core::ConfigBuilder| {
        config.failure_threshold(1).cooldown_growth(1_000.0, Duration::MAX).cooldown_jitter(1.0)
    };
    let (circuit, clock) = circuit(growing);
    open(&circuit);
    for _ in 0..100 {
        clock.advance(circuit.snapshot().retry_after.unwrap());
        if circuit.state() == State::Open {
            return;
        }
        assert!(call(&circuit, Evidence::Failed));
    }
    panic!("the cooldown never reached the end of time");
}

#[test]
fn clock_steps_of_days() {
    let (circuit, clock) = circuit(|config| config.failure_threshold(3).failure_window(COOLDOWN));
    for _ in 0..1_000 {
        fail(&circuit, 2);
        clock.advance(Duration::from_secs(100_000));
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 0));
    }
}

/// A clock that panics while it is told to.
#[derive(Clone, Default)]
struct Broken(Arc<Mutex<(bool, Duration)>>);

impl Clock for Broken {
    fn now(&self) -> Duration {
        let (is_broken, now) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(!is_broken, "the clock is broken");
        now
    }
}

// Law 16. Fails if a panic of the clock is not contained.
#[test]
fn a_clock_that_panics_makes_time_stand_still() {
    let clock = Broken::default();
    let set = |is_broken, now| *clock.0.lock().unwrap_or_else(PoisonError::into_inner) = (is_broken, now);
    set(true, Duration::ZERO);
    let events = EventLog::new();
    let settings = config(|config| config.failure_threshold(2).dropped_after(SECOND));
    let registry = Registry::builder().config(settings).clock(clock.clone()).on_event(events.hook()).build().unwrap();
    let circuit = registry.circuit("shop-7");
    set(false, 10 * SECOND);
    fail(&circuit, 1);
    set(true, Duration::ZERO);
    drop(permit(&circuit));
    fail(&circuit, 1);
    let open = circuit.try_acquire().unwrap_err();
    assert_eq!(open.retry_after(), Some(COOLDOWN));
    assert_eq!((registry.len(), registry.snapshots().len()), (1, 1));
    assert_eq!((circuit.state(), circuit.snapshot().state), (State::Open, State::Open));
    set(false, 10 * SECOND + COOLDOWN);
    let probe = permit(&circuit);
    set(true, Duration::ZERO);
    drop(probe);
    assert!(call(&circuit, Evidence::Answered));
    circuit.hold_open();
    assert!(registry.remove("shop-7"));
    events.assert_reasons(
        "shop-7",
        [Reason::Threshold, Reason::CooldownOver, Reason::ProbeSucceeded, Reason::Held, Reason::Reset],
    );
}

// Fails if a call site measures time without the clock of the registry: the system's clock does not exist everywhere.
// `project::clocks` checks that no source reads that clock.
#[test]
fn a_registry_reads_its_own_clock_for_every_purpose() {
    #[derive(Clone, Default)]
    struct Counting(Arc<AtomicU64>);
    impl Clock for Counting {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::SeqCst))
        }
    }
    let clock = Counting::default();
    let reads = |what: &str, action: &dyn Fn()| {
        let before = clock.0.load(Ordering::SeqCst);
        action();
        assert!(clock.0.load(Ordering::SeqCst) > before, "{what} reads no clock, or another one");
    };
    let registry = Registry::builder()
        .config(config(|config| config.failure_threshold(2).dropped_after(SECOND)))
        .clock(clock.clone())
        .build()
        .unwrap();
    let circuit = registry.circuit("shop-7");
    for what in ["a new circuit", "a look-up in the map", "a look-up in the cache"] {
        reads(what, &|| drop(registry.circuit("shop-7")));
    }
    reads("an admission", &|| drop(permit(&circuit)));
    reads("a failure", &|| fail(&circuit, 1));
    reads("a listing", &|| drop(registry.snapshots()));
    reads("a trip", &|| circuit.trip());
    reads("a rejection", &|| drop(circuit.try_acquire()));
    let open = circuit.try_acquire().unwrap_err();
    reads("the wait of a rejection", &|| assert!(open.retry_after().is_some()));
    reads("a removal", &|| assert!(registry.remove("shop-7")));
}

fn cooldown_with_jitter(registry: RegistryBuilder, connection: &str) -> Duration {
    let settings = config(|config| config.cooldown_jitter(0.5));
    let registry = registry.config(settings).clock(Hands::default()).build().unwrap();
    let circuit = registry.circuit(connection);
    circuit.trip();
    circuit.snapshot().retry_after.unwrap()
}

/// Asserts that the cooldowns are spread over their range.
fn assert_spread(cooldowns: &HashSet<Duration>) {
    assert!(cooldowns.len() > 40, "only {} different ones", cooldowns.len());
    let third = COOLDOWN / 6;
    assert!(cooldowns.iter().any(|cooldown| *cooldown < COOLDOWN + third), "{cooldowns:?}");
    assert!(cooldowns.iter().any(|cooldown| *cooldown > COOLDOWN + 2 * third), "{cooldowns:?}");
}

// Fails if the jitter depends on the key alone, because services of many processes would probe at one moment.
#[test]
fn jitter_differs_between_registries_circuits_and_processes() {
    const CHILD: &str = "BREAKER_TEST_JITTER_CHILD";
    if std::env::var_os(CHILD).is_some() {
        println!("nanos={}=", cooldown_with_jitter(Registry::builder(), "shop-7").as_nanos());
        return;
    }
    assert_spread(&(0..50).map(|_| cooldown_with_jitter(Registry::builder(), "shop-7")).collect());
    let of_one_registry = |seed| {
        (0..50).map(move |shop| cooldown_with_jitter(Registry::builder().jitter_seed(seed), &format!("shop-{shop}")))
    };
    assert_spread(&of_one_registry(7).collect());
    assert!(of_one_registry(7).eq(of_one_registry(7)), "a seed makes the cooldowns repeatable");
    assert!(!of_one_registry(7).eq(of_one_registry(8)));

    let mut processes = HashSet::new();
    for _ in 0..4 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["law_10_time::jitter_differs_between_registries_circuits_and_processes", "--exact", "--nocapture"]);
        let output = child.env(CHILD, "1").output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        processes.insert(output.split('=').nth(1).expect("the child prints its cooldown").to_owned());
    }
    assert_eq!(processes.len(), 4, "{processes:?}");
}
