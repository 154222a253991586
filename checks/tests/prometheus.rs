//! Tests of the metrics in the text that a real Prometheus exporter writes.

use std::collections::BTreeMap;
use std::thread::{scope, sleep};
use std::time::Duration;

use breaker_core::metrics::Reporter;
use breaker_core::testing::TestBed;
use breaker_core::{Circuit, Config, Evidence, Registry, breaker};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use metrics_util::MetricKindMask;

/// The exporter of one test. Tests run in parallel, so each has its own recorder.
struct Exporter {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
}

impl Exporter {
    fn new() -> Self {
        Self::build(PrometheusBuilder::new())
    }

    fn with_idle_timeout(idle: Duration) -> Self {
        Self::build(PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(idle)))
    }

    fn build(builder: PrometheusBuilder) -> Self {
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        Self { recorder, handle }
    }

    /// Reports all metrics and scrapes the exporter.
    fn scrape(&self, reporter: &Reporter) -> Scrape {
        metrics::with_local_recorder(&self.recorder, || reporter.report());
        self.scrape_only()
    }

    /// Scrapes the exporter without a report.
    fn scrape_only(&self) -> Scrape {
        let text = self.handle.render();
        let mut series = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let (name, value) = line.rsplit_once(' ').expect("a series and its value");
            let before = series.insert(name.to_owned(), value.parse().expect("a number"));
            assert!(before.is_none(), "{name} is written twice");
        }
        Scrape { text, series }
    }
}

/// The text of a scrape, and its values by series.
struct Scrape {
    text: String,
    series: BTreeMap<String, f64>,
}

impl Scrape {
    #[track_caller]
    fn expect(&self, expected: &[(&str, f64)]) {
        for (series, value) in expected {
            assert_eq!(self.series.get(*series), Some(value), "{series} in\n{}", self.text);
        }
    }

    /// Returns the series of a connection.
    fn series_of(&self, connection: &str) -> Vec<&str> {
        let label = format!("connection=\"{connection}\"");
        self.series.keys().filter(|name| name.contains(&label)).map(String::as_str).collect()
    }

    /// Returns the sum of all series whose name has this prefix.
    fn sum(&self, prefix: &str) -> f64 {
        self.series.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, value)| value).sum()
    }
}

fn call(circuit: &Circuit, evidence: Evidence) {
    circuit.try_acquire().expect("the circuit should admit the call").settle(evidence);
}

/// Returns a test bed with this failure threshold, its reporter, and an exporter.
fn set_up(threshold: u32) -> (TestBed, Reporter, Exporter) {
    let bed = bed(threshold);
    let reporter = Reporter::new(&bed.registry);
    (bed, reporter, Exporter::new())
}

fn bed(threshold: u32) -> TestBed {
    let config = Config::builder().failure_threshold(threshold).build().unwrap();
    TestBed::with(|registry| registry.config(config)).unwrap()
}

// Fails if rejections that threads count apart from the circuit are not reported, twice reported, or lost with the circuit.
#[test]
fn the_rejections_of_a_crowd_are_reported_by_reason() {
    const EACH: u32 = 50_000;
    let (bed, reporter, exporter) = set_up(2);
    let circuit = bed.registry.circuit("shop-7");
    let crowd = || {
        scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| (0..EACH).for_each(|_| assert!(circuit.try_acquire().is_err())));
            }
        });
    };
    let in_cooldown = r#"circuit_breaker_rejections_total{connection="shop-7",reason="in cooldown"}"#;
    let held = r#"circuit_breaker_rejections_total{connection="shop-7",reason="held open"}"#;
    let all = 3.0 * f64::from(EACH);
    circuit.trip();
    crowd();
    exporter.scrape(&reporter).expect(&[(in_cooldown, all)]);
    circuit.hold_open();
    crowd();
    exporter.scrape(&reporter).expect(&[(in_cooldown, all), (held, all)]);
    crowd();
    assert_eq!(circuit.snapshot().rejected, 9 * u64::from(EACH));
    circuit.reset();
    drop(circuit);
    bed.registry.remove("shop-7");
    assert_eq!(exporter.scrape(&reporter).sum("circuit_breaker_rejections_total"), 3.0 * all);
}

#[test]
fn the_metrics_describe_an_outage() {
    let (bed, reporter, exporter) = set_up(2);
    let circuit = bed.registry.circuit("shop-7");

    bed.clock.advance(Duration::from_secs(10));
    call(&circuit, Evidence::Answered);
    call(&circuit, Evidence::Unknown);
    let late = circuit.try_acquire().unwrap();
    call(&circuit, Evidence::Failed);
    call(&circuit, Evidence::Answered);
    call(&circuit, Evidence::Failed);
    exporter.scrape(&reporter).expect(&[(r#"circuit_breaker_streak{connection="shop-7"}"#, 1.0)]);
    call(&circuit, Evidence::Failed);
    late.settle(Evidence::Failed);
    bed.clock.advance(Duration::from_millis(18_500));
    assert!(circuit.try_acquire().is_err());

    exporter.scrape(&reporter).expect(&[
        (r#"circuit_breaker_calls_total{connection="shop-7",evidence="answered"}"#, 2.0),
        (r#"circuit_breaker_calls_total{connection="shop-7",evidence="failed"}"#, 3.0),
        (r#"circuit_breaker_calls_total{connection="shop-7",evidence="unknown"}"#, 1.0),
        (r#"circuit_breaker_failures_cleared_by_answers_total{connection="shop-7"}"#, 1.0),
        (r#"circuit_breaker_stale_results_total{connection="shop-7"}"#, 1.0),
        (r#"circuit_breaker_rejections_total{connection="shop-7",reason="in cooldown"}"#, 1.0),
        (r#"circuit_breaker_transitions_total{connection="shop-7",to="open",reason="threshold"}"#, 1.0),
        (r#"circuit_breaker_state{connection="shop-7",state="open"}"#, 1.0),
        (r#"circuit_breaker_state{connection="shop-7",state="closed"}"#, 0.0),
        (r#"circuit_breaker_state_seconds_total{connection="shop-7",state="closed"}"#, 10.0),
        (r#"circuit_breaker_state_seconds_total{connection="shop-7",state="open"}"#, 18.0),
        (r#"circuit_breaker_retry_after_seconds{connection="shop-7"}"#, 41.5),
        (r#"circuit_breaker_last_failure_info{connection="shop-7",operation="",error=""}"#, 1.0),
        (r#"circuit_breaker_circuits{state="open"}"#, 1.0),
    ]);

    // The end of the cooldown is reported without a call. The two half seconds in the open state add up to one.
    bed.clock.advance(Duration::from_millis(42_500));
    exporter.scrape(&reporter).expect(&[
        (r#"circuit_breaker_state{connection="shop-7",state="half-open"}"#, 1.0),
        (r#"circuit_breaker_state_seconds_total{connection="shop-7",state="open"}"#, 60.0),
        (r#"circuit_breaker_state_seconds_total{connection="shop-7",state="half-open"}"#, 1.0),
        (r#"circuit_breaker_retry_after_seconds{connection="shop-7"}"#, 0.0),
    ]);
    circuit.hold_open();
    exporter
        .scrape(&reporter)
        .expect(&[(r#"circuit_breaker_retry_after_seconds{connection="shop-7"}"#, f64::INFINITY)]);
}

const SINCE: &str = r#"circuit_breaker_state_since_timestamp_seconds{connection="shop-7"}"#;

#[test]
fn the_timestamp_of_a_state_is_wall_time_and_stays_the_same() {
    let (_, _, exporter) = set_up(1);
    let registry = Registry::new(Config::builder().failure_threshold(1).build().unwrap());
    let reporter = Reporter::new(&registry);
    let unix_now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let before = unix_now();
    call(&registry.circuit("shop-7"), Evidence::Failed);
    let first = exporter.scrape(&reporter).series[SINCE];
    // The two clocks may run apart while the test is suspended between two readings.
    assert!((before - 1.0..=unix_now() + 1.0).contains(&first), "{first} after {before}");
    assert!((exporter.scrape(&reporter).series[SINCE] - first).abs() < f64::EPSILON);
}

// Fails if the system's clock is read beside a clock of the user's own.
#[test]
fn the_timestamp_of_a_state_is_that_of_the_own_clock() {
    let (bed, reporter, exporter) = set_up(1);
    bed.clock.advance(Duration::from_secs(1_000));
    call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    bed.clock.advance(Duration::from_secs(20));
    exporter.scrape(&reporter).expect(&[(SINCE, 1_000.0)]);
}

#[test]
fn the_last_failure_names_the_operation_and_the_type_of_its_error() {
    #[breaker(connection = "shop-7", registry = registry, is_failure = |_| true)]
    fn verify(registry: &Registry) -> disconnect::Outcome {
        Err(disconnect::Disconnected)
    }
    let (bed, reporter, exporter) = set_up(5);
    let _ = verify(&bed.registry);
    let scrape = exporter.scrape(&reporter);
    let info: Vec<_> = scrape.series.keys().filter(|name| name.contains("last_failure_info")).collect();
    assert!(info[0].contains(r#"operation="verify""#) && info[0].contains("Disconnected"), "{info:?}");

    // The next failure replaces it.
    call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    let scrape = exporter.scrape(&reporter);
    assert_eq!(scrape.sum("circuit_breaker_last_failure_info"), 1.0);
}

/// An error type whose name appears as a label.
mod disconnect {
    use std::fmt;

    #[derive(Debug)]
    pub struct Disconnected;
    pub type Outcome = Result<(), Disconnected>;

    impl From<breaker_core::CircuitOpen> for Disconnected {
        fn from(_: breaker_core::CircuitOpen) -> Self {
            Self
        }
    }
    impl fmt::Display for Disconnected {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("disconnected")
        }
    }
    impl std::error::Error for Disconnected {}
}

#[test]
fn names_follow_conventions_and_help_texts_contain_units() {
    let (bed, reporter, exporter) = set_up(1);
    let circuit = bed.registry.circuit("shop-7");
    let late = circuit.try_acquire().unwrap();
    call(&circuit, Evidence::Failed);
    late.settle(Evidence::Answered);
    assert!(circuit.try_acquire().is_err());
    let scrape = exporter.scrape(&reporter);
    let mut types = BTreeMap::new();
    let mut helps = BTreeMap::new();
    for line in scrape.text.lines() {
        if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            types.insert(name, kind);
        }
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
            helps.insert(name, help);
        }
    }
    assert!(types.len() >= 10, "{types:?}");
    for (name, kind) in types {
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
        let help = helps[name];
        assert!(help.ends_with(").") && help.contains(" ("), "no unit in the help of {name}: {help}");
        assert_eq!(name.contains("seconds"), help.contains("seconds"), "{name}: {help}");
    }
}

#[test]
fn the_series_of_an_evicted_circuit_end_and_start_again_with_its_next_call() {
    let idle = Duration::from_millis(300);
    let exporter = Exporter::with_idle_timeout(idle);
    let config = Config::builder().failure_threshold(5).build().unwrap();
    let hour = Duration::from_secs(3600);
    let bed = TestBed::with(|registry| registry.config(config).idle_after(hour)).unwrap();
    let reporter = Reporter::new(&bed.registry);
    let calls = r#"circuit_breaker_calls_total{connection="shop-7",evidence="failed"}"#;

    for _ in 0..3 {
        call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    }
    let other = bed.registry.circuit("shop-8");
    call(&other, Evidence::Answered);
    exporter.scrape(&reporter).expect(&[(calls, 3.0)]);

    // A circuit that is not called keeps its series as long as it exists.
    for _ in 0..4 {
        sleep(idle / 2);
        exporter.scrape(&reporter).expect(&[(calls, 3.0)]);
    }

    // The report after the eviction sets every state to 0, and the series end after the idle timeout.
    bed.clock.advance(hour);
    let evicted = exporter.scrape(&reporter);
    evicted.expect(&[(r#"circuit_breaker_state{connection="shop-7",state="closed"}"#, 0.0)]);
    sleep(idle / 2);
    exporter.scrape(&reporter);
    sleep(idle);
    let evicted = exporter.scrape(&reporter);
    assert_eq!(evicted.series_of("shop-7"), [""; 0], "{}", evicted.text);
    assert!(!evicted.series_of("shop-8").is_empty(), "a circuit with a handle should stay:\n{}", evicted.text);

    // The next call creates the circuit again. Its counts start at 0.
    for _ in 0..2 {
        call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    }
    exporter.scrape(&reporter).expect(&[(calls, 2.0)]);
    call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    exporter.scrape(&reporter).expect(&[(calls, 3.0)]);
}

#[test]
fn counts_of_a_circuit_that_is_evicted_between_two_reports_are_kept() {
    let exporter = Exporter::new();
    let bed = TestBed::with(|registry| registry.capacity(10)).unwrap();
    let reporter = Reporter::new(&bed.registry);
    for shop in 0..1_000 {
        let circuit = bed.registry.circuit(&shop);
        call(&circuit, Evidence::Answered);
        call(&circuit, Evidence::Failed);
        if shop % 300 == 0 {
            drop(circuit);
            exporter.scrape(&reporter);
        }
    }
    let scrape = exporter.scrape(&reporter);
    assert_eq!(scrape.sum("circuit_breaker_calls_total"), 2_000.0, "{}", scrape.text);
    assert!(bed.registry.len() <= 10);
}

#[test]
fn the_number_of_connections_is_limited_and_open_circuits_are_preferred() {
    let exporter = Exporter::new();
    let bed = bed(2);
    let reporter = Reporter::new(&bed.registry).connections(5);
    let circuits: Vec<_> = (0..50).map(|shop| bed.registry.circuit(&shop)).collect();
    for circuit in &circuits {
        call(circuit, Evidence::Answered);
    }
    exporter.scrape(&reporter).expect(&[(r#"circuit_breaker_circuits{state="closed"}"#, 50.0)]);
    for down in [&circuits[7], &circuits[23], &circuits[42]] {
        call(down, Evidence::Failed);
        call(down, Evidence::Failed);
    }
    let scrape = exporter.scrape(&reporter);
    scrape.expect(&[
        (r#"circuit_breaker_state{connection="7",state="open"}"#, 1.0),
        (r#"circuit_breaker_state{connection="23",state="open"}"#, 1.0),
        (r#"circuit_breaker_state{connection="42",state="open"}"#, 1.0),
        (r#"circuit_breaker_circuits{state="open"}"#, 3.0),
    ]);
    assert_eq!(scrape.sum("circuit_breaker_calls_total"), 56.0, "{}", scrape.text);
    let in_a_state =
        scrape.series.iter().filter(|(name, value)| name.starts_with("circuit_breaker_state{") && **value == 1.0);
    assert_eq!(in_a_state.count(), 5, "{}", scrape.text);
    // More circuits are open than the limit permits.
    for down in &circuits[10..20] {
        call(down, Evidence::Failed);
        call(down, Evidence::Failed);
    }
    let scrape = exporter.scrape(&reporter);
    let in_a_state =
        scrape.series.iter().filter(|(name, value)| name.starts_with("circuit_breaker_state{") && **value == 1.0);
    assert_eq!(in_a_state.count(), 5, "{}", scrape.text);
    scrape.expect(&[
        (r#"circuit_breaker_circuits{state="open"}"#, 13.0),
        (r#"circuit_breaker_state{connection="42",state="open"}"#, 1.0),
    ]);
    assert_eq!(scrape.sum("circuit_breaker_calls_total"), 76.0);
}

#[test]
fn labels_distinguish_registries_and_are_escaped() {
    let exporter = Exporter::new();
    let beds = [bed(1), bed(1)];
    let names = ["crm", "payments"];
    for (bed, name) in beds.iter().zip(names) {
        call(&bed.registry.circuit("a \"quoted\"\nname\\"), Evidence::Failed);
        exporter.scrape(&Reporter::new(&bed.registry).label("registry", name));
    }
    exporter.scrape_only().expect(&[
        (r#"circuit_breaker_state{registry="crm",connection="a \"quoted\"\nname\\",state="open"}"#, 1.0),
        (r#"circuit_breaker_state{registry="payments",connection="a \"quoted\"\nname\\",state="open"}"#, 1.0),
    ]);
}

#[test]
fn a_reporting_thread_reports_once_more_when_it_is_stopped() {
    // The reporting thread has no local recorder, so this recorder is global. Only this test installs one.
    let exporter = Exporter::new();
    let handle = exporter.handle.clone();
    metrics::set_global_recorder(exporter.recorder).unwrap();
    let registry = Registry::new(Config::default());
    let reporting = Reporter::new(&registry).every(Duration::from_secs(3600));
    // The call below must come after the first report, because that report would contain it otherwise.
    while !handle.render().contains("circuit_breaker_circuits") {
        sleep(Duration::from_millis(5));
    }
    call(&registry.circuit("shop-7"), Evidence::Failed);
    drop(reporting);
    let expected = r#"circuit_breaker_calls_total{connection="shop-7",evidence="failed"} 1"#;
    let text = handle.render();
    assert!(text.contains(expected), "{text}");
}
