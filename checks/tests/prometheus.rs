//! The metrics as a real Prometheus exporter writes them.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use breaker_core::metrics::Reporter;
use breaker_core::testing::TestBed;
use breaker_core::{Circuit, Config, Evidence, Registry, breaker};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use metrics_util::MetricKindMask;

/// A recorder for each test.
struct Exporter {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
}

impl Exporter {
    fn new() -> Self {
        Self::of(PrometheusBuilder::new())
    }

    fn forgetting_after(idle: Duration) -> Self {
        Self::of(PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(idle)))
    }

    fn of(builder: PrometheusBuilder) -> Self {
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        Self { recorder, handle }
    }

    /// Returns the values of a scrape just after a report, by series.
    fn scrape(&self, reporter: &Reporter) -> Scrape {
        metrics::with_local_recorder(&self.recorder, || reporter.report());
        self.text()
    }

    fn text(&self) -> Scrape {
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

    fn of(&self, connection: &str) -> Vec<&str> {
        let label = format!("connection=\"{connection}\"");
        self.series.keys().filter(|name| name.contains(&label)).map(String::as_str).collect()
    }

    fn sum(&self, prefix: &str) -> f64 {
        self.series.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, value)| value).sum()
    }
}

fn call(circuit: &Circuit, evidence: Evidence) {
    circuit.try_acquire().expect("the circuit should let the call in").settle(evidence);
}

fn bed(threshold: u32) -> TestBed {
    let config = Config::builder().failure_threshold(threshold).build().unwrap();
    TestBed::with(|registry| registry.config(config)).unwrap()
}

#[test]
fn an_outage_can_be_read_from_the_exported_text() {
    let bed = bed(2);
    let exporter = Exporter::new();
    let reporter = Reporter::new(&bed.registry);
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

    // Without a call, the end of the cooldown is still reported. The half seconds add up.
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

#[test]
fn the_start_of_a_state_is_a_stable_wall_clock_time() {
    let bed = bed(1);
    let exporter = Exporter::new();
    let reporter = Reporter::new(&bed.registry);
    let circuit = bed.registry.circuit("shop-7");
    call(&circuit, Evidence::Failed);
    bed.clock.advance(Duration::from_secs(20));
    let since =
        |scrape: &Scrape| scrape.series[r#"circuit_breaker_state_since_timestamp_seconds{connection="shop-7"}"#];
    let first = since(&exporter.scrape(&reporter));
    let unix_now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((unix_now - first - 20.0).abs() < 10.0, "{first} at {unix_now}");
    assert!((since(&exporter.scrape(&reporter)) - first).abs() < f64::EPSILON);
}

#[test]
fn the_last_failure_names_the_operation_and_the_type_of_its_error() {
    #[breaker(connection = "shop-7", registry = registry, is_failure = |_| true)]
    fn verify(registry: &Registry) -> torn::Outcome {
        Err(torn::TornLine)
    }
    let bed = bed(5);
    let exporter = Exporter::new();
    let reporter = Reporter::new(&bed.registry);
    let _ = verify(&bed.registry);
    let scrape = exporter.scrape(&reporter);
    let info: Vec<_> = scrape.series.keys().filter(|name| name.contains("last_failure_info")).collect();
    assert!(info[0].contains(r#"operation="verify""#) && info[0].contains("TornLine"), "{info:?}");

    // Another failure replaces it.
    call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    let scrape = exporter.scrape(&reporter);
    assert_eq!(scrape.sum("circuit_breaker_last_failure_info"), 1.0);
}

/// An error without dependencies.
mod torn {
    use std::fmt;

    #[derive(Debug)]
    pub struct TornLine;
    pub type Outcome = Result<(), TornLine>;

    impl From<breaker_core::CircuitOpen> for TornLine {
        fn from(_: breaker_core::CircuitOpen) -> Self {
            Self
        }
    }
    impl fmt::Display for TornLine {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the line is torn")
        }
    }
    impl std::error::Error for TornLine {}
}

#[test]
fn names_follow_the_conventions_and_help_texts_give_units() {
    let bed = bed(1);
    let exporter = Exporter::new();
    let reporter = Reporter::new(&bed.registry);
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
fn an_evicted_circuit_removes_its_series_and_returns_complete() {
    let idle = Duration::from_millis(300);
    let exporter = Exporter::forgetting_after(idle);
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

    // An unused circuit keeps its series as long as it exists.
    for _ in 0..4 {
        sleep(idle / 2);
        exporter.scrape(&reporter).expect(&[(calls, 3.0)]);
    }

    // After its eviction it is reported in no state at once, and its series disappear after the idle timeout.
    bed.clock.advance(hour);
    let gone = exporter.scrape(&reporter);
    gone.expect(&[(r#"circuit_breaker_state{connection="shop-7",state="closed"}"#, 0.0)]);
    sleep(idle / 2);
    exporter.scrape(&reporter);
    sleep(idle);
    let gone = exporter.scrape(&reporter);
    assert_eq!(gone.of("shop-7"), [""; 0], "{}", gone.text);
    assert!(!gone.of("shop-8").is_empty(), "a circuit in somebody's hands stays:\n{}", gone.text);

    // The circuit is created again, and every new call is counted once.
    for _ in 0..2 {
        call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    }
    exporter.scrape(&reporter).expect(&[(calls, 2.0)]);
    call(&bed.registry.circuit("shop-7"), Evidence::Failed);
    exporter.scrape(&reporter).expect(&[(calls, 3.0)]);
}

/// Fails if the counts of a circuit that is evicted between two reports are lost with it.
#[test]
fn counts_of_an_evicted_circuit_are_not_lost() {
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
fn cardinality_is_bounded_and_open_circuits_take_precedence() {
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
    // Ten circuits are open, and the limit is still five.
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
    exporter.text().expect(&[
        (r#"circuit_breaker_state{registry="crm",connection="a \"quoted\"\nname\\",state="open"}"#, 1.0),
        (r#"circuit_breaker_state{registry="payments",connection="a \"quoted\"\nname\\",state="open"}"#, 1.0),
    ]);
}

#[test]
fn a_reporting_thread_reports_once_more_when_stopped() {
    // The reporting thread has no local recorder, so this recorder is global. Only this test installs one.
    let exporter = Exporter::new();
    let handle = exporter.handle.clone();
    metrics::set_global_recorder(exporter.recorder).unwrap();
    let registry = Registry::new(Config::default());
    let reporting = Reporter::new(&registry).every(Duration::from_secs(3600));
    // Only events after its first report need a last one.
    while !handle.render().contains("circuit_breaker_circuits") {
        sleep(Duration::from_millis(5));
    }
    call(&registry.circuit("shop-7"), Evidence::Failed);
    drop(reporting);
    let expected = r#"circuit_breaker_calls_total{connection="shop-7",evidence="failed"} 1"#;
    let text = handle.render();
    assert!(text.contains(expected), "{text}");
}
