//! Law 11: invalid settings do not build, and the error names the setting, its value and the allowed range.

use std::time::Duration;

use crate::common::SECOND;
use breaker_core::{Config, ConfigBuilder, ConfigError, Registry};

/// The name of a setting, an invalid value as the error shows it, and a function that sets the value.
type Bad = (&'static str, &'static str, fn(ConfigBuilder) -> ConfigBuilder);

const ZERO: Duration = Duration::ZERO;

const BAD: &[Bad] = &[
    ("failure_threshold", "0", |config| config.failure_threshold(0)),
    ("failure_threshold", "10001", |config| config.failure_threshold(10_001).failure_window(SECOND)),
    ("failure_window", "0ns", |config| config.failure_window(ZERO)),
    ("failure_rate", "0.0", |config| config.failure_rate(0.0, 1, SECOND)),
    ("failure_rate", "-0.5", |config| config.failure_rate(-0.5, 1, SECOND)),
    ("failure_rate", "1.5", |config| config.failure_rate(1.5, 1, SECOND)),
    ("failure_rate", "NaN", |config| config.failure_rate(f64::NAN, 1, SECOND)),
    ("failure_rate", "inf", |config| config.failure_rate(f64::INFINITY, 1, SECOND)),
    ("failure_rate", "0", |config| config.failure_rate(0.5, 0, SECOND)),
    ("failure_rate", "0ns", |config| config.failure_rate(0.5, 1, ZERO)),
    ("cooldown", "0ns", |config| config.cooldown(ZERO)),
    ("cooldown_growth", "NaN", |config| config.cooldown_growth(f64::NAN, 100 * SECOND)),
    ("cooldown_growth", "inf", |config| config.cooldown_growth(f64::INFINITY, 100 * SECOND)),
    ("cooldown_growth", "-2.0", |config| config.cooldown_growth(-2.0, 100 * SECOND)),
    ("cooldown_growth", "0.5", |config| config.cooldown_growth(0.5, 100 * SECOND)),
    ("cooldown_growth", "59s", |config| config.cooldown_growth(2.0, 59 * SECOND)),
    ("cooldown_jitter", "-0.1", |config| config.cooldown_jitter(-0.1)),
    ("cooldown_jitter", "1.1", |config| config.cooldown_jitter(1.1)),
    ("cooldown_jitter", "NaN", |config| config.cooldown_jitter(f64::NAN)),
    ("cooldown_jitter", "inf", |config| config.cooldown_jitter(f64::INFINITY)),
    ("half_open_probes", "0", |config| config.half_open_probes(0)),
    ("probe_lease", "0ns", |config| config.probe_lease(ZERO)),
    ("inconclusive_probes", "0", |config| config.inconclusive_probes(0)),
    ("dropped_after", "0ns", |config| config.dropped_after(ZERO)),
];

/// Each argument of a setting with several arguments has its own name, the one used in a file.
#[test]
fn an_error_names_an_argument_by_its_path() {
    let error = Config::builder().failure_rate(0.0, 1, SECOND).build().unwrap_err();
    assert_eq!(error.to_string(), "`failure_rate.ratio` is 0.0, but must be above 0 and at most 1");
}

fn names(error: &ConfigError, setting: &str, value: &str) {
    assert!(error.setting().starts_with(setting), "{error} does not name `{setting}`");
    assert_eq!(error.value(), value, "{error}");
    let text = error.to_string();
    assert!(text.contains(setting) && text.contains(value) && text.contains(error.allowed()), "{text}");
    assert!(!error.allowed().is_empty());
}

// Fails if a check is missing, or clamps the value.
#[test]
fn values_out_of_range_are_refused() {
    for (setting, value, set) in BAD {
        let error = set(Config::builder()).build().expect_err(setting);
        names(&error, setting, value);
    }
}

// Fails if a range is narrower than the error says.
#[test]
fn both_ends_of_each_range_are_accepted() {
    let least = Config::builder()
        .failure_threshold(1)
        .failure_window(Duration::from_nanos(1))
        .failure_rate(f64::MIN_POSITIVE, 1, Duration::from_nanos(1))
        .cooldown(Duration::from_nanos(1))
        .cooldown_growth(1.0, Duration::from_nanos(1))
        .cooldown_jitter(0.0)
        .half_open_probes(1)
        .probe_lease(Duration::from_nanos(1))
        .inconclusive_probes(1)
        .dropped_after(Duration::from_nanos(1));
    least.build().unwrap();
    let most = Config::builder()
        .failure_threshold(10_000)
        .failure_window(Duration::MAX)
        .failure_rate(1.0, u32::MAX, Duration::MAX)
        .cooldown(Duration::MAX)
        .cooldown_growth(f64::MAX, Duration::MAX)
        .cooldown_jitter(1.0)
        .half_open_probes(u32::MAX)
        .probe_lease(Duration::MAX)
        .inconclusive_probes(u32::MAX)
        .dropped_after(Duration::MAX);
    most.build().unwrap();
    Config::builder().failure_threshold(u32::MAX).build().unwrap();
}

#[test]
fn invalid_settings_of_a_registry_are_refused() {
    names(&Registry::builder().capacity(0).build().unwrap_err(), "capacity", "0");
    names(&Registry::builder().idle_after(ZERO).build().unwrap_err(), "idle_after", "0ns");
    let twice = Registry::builder().config_for("a", Config::default()).config_for("a", Config::default());
    let error = twice.build().unwrap_err();
    assert_eq!(error.setting(), "config_for");
    assert!(error.value().contains("\"a\""), "{error}");
}

// Fails if an invalid variable falls back to the default.
#[test]
fn invalid_variables_are_refused() {
    let singles = [
        ("CIRCUIT_BREAKER_FAILURE_THRESHOLD", &["0", "-1", "1.5", "4294967296", "five", ""][..]),
        ("CIRCUIT_BREAKER_FAILURE_WINDOW_SECONDS", &["0", "-1", "NaN", "inf", "1e300", "a minute", ""]),
        ("CIRCUIT_BREAKER_ANSWERS", &["clear", "ClearStreak", ""]),
        ("CIRCUIT_BREAKER_COOLDOWN_SECONDS", &["0", "-1", "NaN", "inf", "1e300", "60s", "1e-20", ""]),
        ("CIRCUIT_BREAKER_COOLDOWN_JITTER", &["-0.1", "1.1", "NaN", "inf", "10%", ""]),
        ("CIRCUIT_BREAKER_HALF_OPEN_PROBES", &["0", "-1", "one", ""]),
        ("CIRCUIT_BREAKER_PROBE_LEASE_SECONDS", &["0", "-1", "NaN", "inf", ""]),
        ("CIRCUIT_BREAKER_INCONCLUSIVE_PROBES", &["0", "-1", ""]),
        ("CIRCUIT_BREAKER_DROPPED_AFTER_SECONDS", &["0", "-1", "NaN", ""]),
    ];
    for (variable, values) in singles {
        for value in values {
            let error = Config::from_variables(|name| (name == variable).then(|| (*value).to_owned())).unwrap_err();
            names(&error, variable, &format!("{value:?}"));
        }
    }
    for [given, missing] in [
        ["CIRCUIT_BREAKER_FAILURE_RATE", "CIRCUIT_BREAKER_FAILURE_RATE_MINIMUM_CALLS"],
        ["CIRCUIT_BREAKER_COOLDOWN_GROWTH_FACTOR", "CIRCUIT_BREAKER_COOLDOWN_GROWTH_MAX_SECONDS"],
    ] {
        let error = Config::from_variables(|name| (name == given).then(|| "1".to_owned())).unwrap_err();
        names(&error, missing, "missing");
    }
}

// A value that contradicts a default or another variable is reported by the name that the user wrote.
#[test]
fn contradicting_variables_are_refused() {
    let contradiction = |name: &str| match name {
        "CIRCUIT_BREAKER_COOLDOWN_GROWTH_FACTOR" => Some("2".to_owned()),
        "CIRCUIT_BREAKER_COOLDOWN_GROWTH_MAX_SECONDS" => Some("5".to_owned()),
        _ => None,
    };
    let error = Config::from_variables(contradiction).unwrap_err();
    names(&error, "cooldown_growth", "5s");
}
