//! Tests that the Grafana dashboard, the alerts and the documentation name only metrics, labels and values that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use breaker_core::metrics::Reporter;
use breaker_core::testing::TestBed;
use breaker_core::{CircuitOpen, Config, Evidence};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;

const PREFIX: &str = "circuit_breaker_";

/// Returns all metrics with the values of their labels, emitted by a circuit that went through an outage and recovered.
fn emitted() -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let config = Config::builder().failure_threshold(2).build().unwrap();
    let bed = TestBed::with(|registry| registry.config(config)).unwrap();
    let circuit = bed.registry.circuit("shop-7");
    let call = |evidence| -> Result<(), CircuitOpen> {
        circuit.try_acquire()?.settle(evidence);
        Ok(())
    };
    let late = circuit.try_acquire().unwrap();
    for evidence in [Evidence::Unknown, Evidence::Failed, Evidence::Answered, Evidence::Failed, Evidence::Failed] {
        call(evidence).unwrap();
    }
    late.settle(Evidence::Answered);
    assert!(call(Evidence::Answered).is_err());
    bed.clock.advance(Duration::from_secs(60));
    call(Evidence::Answered).unwrap();
    metrics::with_local_recorder(&recorder, || Reporter::new(&bed.registry).report());

    let mut metrics = BTreeMap::<_, BTreeMap<_, BTreeSet<_>>>::new();
    for line in handle.render().lines().filter(|line| line.starts_with(PREFIX)) {
        let (series, _) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap();
        let metric = metrics.entry(name.to_owned()).or_default();
        for label in labels.trim_end_matches('}').split("\",") {
            let (name, value) = label.split_once("=\"").unwrap();
            metric.entry(name.to_owned()).or_default().insert(value.trim_end_matches('"').to_owned());
        }
    }
    metrics
}

/// Returns each metric in a text, with the label matchers in the braces that follow it.
fn used(text: &str) -> Vec<(String, String)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(PREFIX)
        .map(|(start, _)| {
            let rest = &text[start..];
            let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
            let matchers =
                rest[name.len()..].strip_prefix('{').and_then(|rest| rest.split_once('}')).unwrap_or_default().0;
            (name, matchers.to_owned())
        })
        .collect()
}

/// Checks that every metric, label and value in a text is emitted, and returns the metrics.
fn check(text: &str) -> BTreeSet<String> {
    let emitted = emitted();
    let used = used(text);
    for (name, matchers) in &used {
        let labels = emitted.get(name).unwrap_or_else(|| panic!("{name} is never emitted"));
        for matcher in matchers.split(',').filter(|matcher| !matcher.is_empty()) {
            let (label, value) = matcher.split_once(['=', '!']).unwrap();
            let values = labels.get(label).unwrap_or_else(|| panic!("{name} has no label {label}"));
            let value = value.trim_matches(['=', '~', '"', '\\']);
            assert!(
                value.starts_with('$') || values.contains(value),
                "{name} never has {label} {value}, but {values:?}"
            );
        }
    }
    used.into_iter().map(|(name, _)| name).collect()
}

/// Collects all expressions and queries of a dashboard.
fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if matches!(name.as_str(), "expr" | "query") => found.push(text.clone()),
                    other => expressions(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_uses_every_metric_and_only_existing_ones() {
    let dashboard: Value = serde_json::from_str(include_str!("../../examples/grafana/circuits.json")).unwrap();
    let mut found = Vec::new();
    expressions(&dashboard, &mut found);
    assert!(found.len() > 15, "{found:?}");
    for expression in &found {
        let balance = |open, close| expression.matches(open).count() == expression.matches(close).count();
        assert!(balance('(', ')') && balance('{', '}') && balance('[', ']'), "{expression}");
    }
    let used = check(&found.join("\n"));
    let emitted: BTreeSet<_> = emitted().into_keys().collect();
    assert_eq!(used, emitted);
}

#[test]
fn the_alerts_use_only_existing_metrics() {
    assert!(check(include_str!("../../examples/grafana/alerts.yml")).len() >= 3);
}

#[test]
fn the_documentation_names_every_metric_and_only_existing_ones() {
    let emitted: BTreeSet<_> = emitted().into_keys().collect();
    for text in
        [include_str!("../../breaker-core/src/integrations/metrics/mod.rs"), include_str!("../../docs/operating.md")]
    {
        assert_eq!(check(text), emitted);
    }
}
