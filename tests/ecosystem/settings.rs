//! Settings from files and from environment variables.

use std::time::Duration;

use breaker_core::{Answers, Config, ConfigError, FailureRule, Registry, RegistryBuilder};

const TRANSPORT: FailureRule = FailureRule::Transport { timeouts: true, connection_errors: true };

/// Every setting, each with a value other than its default.
fn every_setting() -> Config {
    Config::builder()
        .failure_threshold(3)
        .failure_window(Duration::from_secs(61))
        .failure_rate(0.5, 20, Duration::from_secs(90))
        .failure_rule(FailureRule::Transport { timeouts: true, connection_errors: false })
        .answers(Answers::KeepStreak)
        .response_statuses(false)
        .counted_statuses([503, 429])
        .count_http_500(true)
        .cooldown(Duration::from_millis(1_500))
        .cooldown_growth(2.0, Duration::from_secs(605))
        .cooldown_jitter(0.25)
        .half_open_probes(2)
        .probe_lease(Duration::from_secs(10))
        .inconclusive_probes(4)
        .dropped_after(Duration::from_millis(750))
        .build()
        .expect("a configuration")
}

const TOML: &str = r#"
failure_threshold = 3
failure_window = "1m 1s"
failure_rate = { ratio = 0.5, minimum_calls = 20, window = "1m 30s" }
answers = "keep_streak"
response_statuses = false
counted_statuses = [503, 429]
count_http_500 = true
cooldown = "1.5s"
cooldown_growth = { factor = 2.0, max = "10m 5s" }
cooldown_jitter = 0.25
half_open_probes = 2
probe_lease = "10s"
inconclusive_probes = 4
dropped_after = "750ms"

[failure_rule.transport]
connection_errors = false
"#;

const JSON: &str = r#"{
    "failure_threshold": 3,
    "failure_window": "1m1s",
    "failure_rate": { "ratio": 0.5, "minimum_calls": 20, "window": "1m 30s" },
    "failure_rule": { "transport": { "timeouts": true, "connection_errors": false } },
    "answers": "keep_streak",
    "response_statuses": false,
    "counted_statuses": [503, 429],
    "count_http_500": true,
    "cooldown": "1s 500ms",
    "cooldown_growth": { "factor": 2, "max": "10m 5s" },
    "cooldown_jitter": 0.25,
    "half_open_probes": 2,
    "probe_lease": "10s",
    "inconclusive_probes": 4,
    "dropped_after": "750ms"
}"#;

const YAML: &str = "
failure_threshold: 3
failure_window: 61s
failure_rate: { ratio: 0.5, minimum_calls: 20, window: 1m 30s }
failure_rule:
  transport:
    timeouts: true
    connection_errors: false
answers: keep_streak
response_statuses: false
counted_statuses: [503, 429]
count_http_500: true
cooldown: 1.5s
cooldown_growth: { factor: 2, max: 10m 5s }
cooldown_jitter: 0.25
half_open_probes: 2
probe_lease: 10s
inconclusive_probes: 4
dropped_after: 750ms
";

#[test]
fn every_setting_is_read_from_each_format() {
    // Fails for a setting that is read and not applied, or applied as another one.
    assert_eq!(toml::from_str::<Config>(TOML).expect("TOML"), every_setting());
    assert_eq!(serde_json::from_str::<Config>(JSON).expect("JSON"), every_setting());
    assert_eq!(serde_yaml_ng::from_str::<Config>(YAML).expect("YAML"), every_setting());
    for nothing in [toml::from_str::<Config>("").ok(), serde_json::from_str("{}").ok()] {
        assert_eq!(nothing, Some(Config::default()));
    }
}

#[test]
fn written_settings_can_be_read_again() {
    for config in [Config::default(), every_setting()] {
        let json = serde_json::to_string(&config).expect("JSON");
        assert_eq!(serde_json::from_str::<Config>(&json).expect("its own JSON"), config);
        let toml = toml::to_string(&config).expect("TOML");
        assert_eq!(toml::from_str::<Config>(&toml).expect("its own TOML"), config);
        let yaml = serde_yaml_ng::to_string(&config).expect("YAML");
        assert_eq!(serde_yaml_ng::from_str::<Config>(&yaml).expect("its own YAML"), config);
    }
}

/// The error of each format, which must contain these words.
fn refused(toml: &str, words: &str) {
    let value: serde_json::Value = toml::from_str(toml).expect("TOML");
    let json = serde_json::to_string(&value).expect("JSON");
    let yaml = serde_yaml_ng::to_string(&value).expect("YAML");
    for error in [
        toml::from_str::<Config>(toml).expect_err(toml).to_string(),
        serde_json::from_str::<Config>(&json).expect_err(&json).to_string(),
        serde_yaml_ng::from_str::<Config>(&yaml).expect_err(&yaml).to_string(),
    ] {
        assert!(error.contains(words), "`{toml}`: {error}");
    }
}

#[test]
fn an_unknown_setting_is_refused_by_name() {
    refused("cooldwon = \"5s\"", "unknown field `cooldwon`");
    refused("failure_rate = { ratio = 0.5, minimum_calls = 2, windows = \"5s\" }", "unknown field `windows`");
    refused("cooldown_growth = { factor = 2.0, maximum = \"5s\" }", "unknown field `maximum`");
    refused("failure_rule = { transport = { timeout = true } }", "unknown field `timeout`");
    refused("failure_rule = \"all\"", "unknown variant `all`");
    refused("answers = \"forget\"", "unknown variant `forget`");
}

#[test]
fn a_duration_needs_a_unit() {
    refused("cooldown = 30", "30 has no unit");
    refused("cooldown = -30", "-30 has no unit");
    refused("cooldown = 0.5", "0.5 has no unit");
    refused("cooldown = \"30\"", "\"30\" has no unit");
    refused("cooldown = \"soon\"", "\"soon\" is not a duration");
    refused("cooldown = \"30 S\"", "\"S\" is not a unit of time");
    refused("cooldown = \"1s 1m\"", "write each unit once");
    refused("cooldown = \"99999999999999999999s\"", "is too long");
    refused("cooldown = [\"30s\"]", "a duration as text with a unit");
    for text in ["90s", "90 s", "1m 30s", "1m30s", " 1.5m ", "0.025h"] {
        let config: Config = toml::from_str(&format!("cooldown = \"{text}\"")).expect(text);
        assert_eq!(config.cooldown(), Duration::from_secs(90), "{text}");
    }
}

#[test]
fn invalid_settings_are_refused_with_the_text_of_their_error() {
    fn words(error: Result<Config, ConfigError>) -> String {
        error.expect_err("it does not build").to_string()
    }
    let builder = Config::builder;
    refused("failure_threshold = 0", &words(builder().failure_threshold(0).build()));
    refused("cooldown = \"0s\"", &words(builder().cooldown(Duration::ZERO).build()));
    refused("counted_statuses = [200]", &words(builder().counted_statuses([200]).build()));
    refused("counted_statuses = []", &words(builder().counted_statuses([]).build()));
    refused("cooldown_jitter = 1.5", &words(builder().cooldown_jitter(1.5).build()));
    let growth = words(builder().cooldown_growth(2.0, Duration::from_secs(1)).build());
    refused("cooldown_growth = { factor = 2.0, max = \"1s\" }", &growth);
}

mod registry {
    use super::*;

    const SETTINGS: &str = r#"
        capacity = 500
        idle_after = "10m"

        [defaults]
        cooldown = "30s"
        failure_rule = "transport"

        [prefixes."crm:"]
        failure_threshold = 3

        [prefixes."crm:acme:"]
        cooldown = "5m"

        [keys."crm:acme:7"]
        half_open_probes = 2

        [keys.bank]
        failure_threshold = 1
    "#;

    /// How many failures open the circuit of this connection.
    fn threshold(registry: &Registry, key: &str) -> usize {
        let circuit = registry.circuit(key);
        (1..100)
            .find(|_| {
                circuit.try_acquire().expect("closed").settle(breaker_core::Evidence::Failed);
                circuit.state() == breaker_core::State::Open
            })
            .expect("it opens")
    }

    fn cooldown(registry: &Registry, key: &str) -> Duration {
        let circuit = registry.circuit(key);
        circuit.trip();
        circuit.snapshot().retry_after.expect("in its cooldown")
    }

    #[test]
    fn a_key_overrides_its_prefixes_and_these_the_defaults() {
        let builder: RegistryBuilder = toml::from_str(SETTINGS).expect("settings");
        let clock = breaker_core::testing::ManualClock::new();
        let registry = builder.clock(clock).build().expect("a registry");
        for (key, failures, seconds) in [
            ("shop", 5, 30),
            ("bank", 1, 30),
            ("crm:globex:7", 3, 30),
            ("crm:acme:8", 3, 300),
            ("crm:acme:7", 3, 300),
            ("crm", 5, 30),
            ("crm:acme:77", 3, 300),
        ] {
            assert_eq!(threshold(&registry, key), failures, "{key}");
            registry.reset(key);
            assert_eq!(cooldown(&registry, key), Duration::from_secs(seconds), "{key}");
        }
    }

    #[test]
    fn all_formats_read_the_same() {
        let value: serde_json::Value = toml::from_str(SETTINGS).expect("settings");
        let json: RegistryBuilder = serde_json::from_str(&value.to_string()).expect("JSON");
        let yaml = serde_yaml_ng::to_string(&value).expect("YAML");
        let yaml: RegistryBuilder = serde_yaml_ng::from_str(&yaml).expect("YAML");
        for builder in [json, yaml] {
            assert_eq!(threshold(&builder.build().expect("a registry"), "crm:acme:8"), 3);
        }
    }

    #[test]
    fn the_order_of_the_prefixes_does_not_matter() {
        // Fails if a longer prefix is applied to the defaults before the shorter one is.
        let json = r#"{ "prefixes": { "crm:acme:": { "cooldown": "5m" }, "crm:": { "failure_threshold": 3 } } }"#;
        let builder: RegistryBuilder = serde_json::from_str(json).expect("JSON");
        assert_eq!(threshold(&builder.build().expect("a registry"), "crm:acme:8"), 3);
    }

    fn refused(toml: &str, words: &str) {
        let error = toml::from_str::<RegistryBuilder>(toml).expect_err(toml).to_string();
        assert!(error.contains(words), "`{toml}`: {error}");
    }

    #[test]
    fn mistakes_are_reported_with_their_location() {
        refused("default = {}", "unknown field `default`");
        refused("[keys.bank]\ncooldwon = \"5s\"", "unknown field `cooldwon`");
        refused("idle_after = 60", "60 has no unit");
        refused("[defaults]\nfailure_threshold = 0", "in `defaults`: `failure_threshold` is 0");
        refused("[keys.bank]\nhalf_open_probes = 0", "in `keys.bank`: `half_open_probes` is 0");
        refused("[prefixes.crm]\nprobe_lease = \"0s\"", "in `prefixes.crm`: `probe_lease` is 0ns");
        // Each value is valid, and the two contradict each other.
        refused(
            "[defaults]\ncooldown_growth = { factor = 2.0, max = \"5m\" }\n[keys.bank]\ncooldown = \"10m\"",
            "in `keys.bank`: `cooldown_growth.max` is 300s, but must be at least the `cooldown` of 600s",
        );
        let twice = r#"{ "keys": { "bank": {}, "bank": {} } }"#;
        let error = serde_json::from_str::<RegistryBuilder>(twice).expect_err("twice").to_string();
        assert!(error.contains("`bank` is given twice"), "{error}");
        let builder: RegistryBuilder = toml::from_str("capacity = 0").expect("settings");
        assert_eq!(builder.build().expect_err("no capacity").setting(), "capacity");
    }
}

mod environment {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_variables(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn statuses_and_the_rule_are_read() {
        let read = |variables| config(variables).expect("a configuration");
        assert_eq!(read(&[("CIRCUIT_BREAKER_COUNTED_STATUSES", "503, 429")]).counted_statuses(), [429, 503]);
        assert!(read(&[("CIRCUIT_BREAKER_COUNT_HTTP_500", "true")]).count_http_500());
        assert!(!read(&[("CIRCUIT_BREAKER_RESPONSE_STATUSES", "false")]).response_statuses());
        assert_eq!(read(&[("CIRCUIT_BREAKER_FAILURE_RULE", "transport")]).failure_rule(), TRANSPORT);
        assert_eq!(read(&[("CIRCUIT_BREAKER_FAILURE_RULE", "any_error")]).failure_rule(), FailureRule::AnyError);
        assert_eq!(
            read(&[("CIRCUIT_BREAKER_FAILURE_RULE", "transport"), ("CIRCUIT_BREAKER_TRANSPORT_TIMEOUTS", "false")])
                .failure_rule(),
            FailureRule::Transport { timeouts: false, connection_errors: true }
        );
        assert_eq!(
            read(&[
                ("CIRCUIT_BREAKER_FAILURE_RULE", "transport"),
                ("CIRCUIT_BREAKER_TRANSPORT_CONNECTION_ERRORS", "false")
            ])
            .failure_rule(),
            FailureRule::Transport { timeouts: true, connection_errors: false }
        );
    }

    #[test]
    fn an_invalid_value_is_reported_with_its_variable() {
        for (name, value) in [
            ("CIRCUIT_BREAKER_COUNTED_STATUSES", "503;429"),
            ("CIRCUIT_BREAKER_COUNTED_STATUSES", ""),
            ("CIRCUIT_BREAKER_COUNTED_STATUSES", "200"),
            ("CIRCUIT_BREAKER_COUNTED_STATUSES", "503,503"),
            ("CIRCUIT_BREAKER_COUNT_HTTP_500", "yes"),
            ("CIRCUIT_BREAKER_FAILURE_RULE", "all"),
            ("CIRCUIT_BREAKER_TRANSPORT_TIMEOUTS", "false"),
        ] {
            assert_eq!(config(&[(name, value)]).expect_err(name).setting(), name);
        }
        let no_flag = [("CIRCUIT_BREAKER_FAILURE_RULE", "transport"), ("CIRCUIT_BREAKER_TRANSPORT_TIMEOUTS", "0")];
        assert_eq!(config(&no_flag).expect_err("no flag").setting(), "CIRCUIT_BREAKER_TRANSPORT_TIMEOUTS");
    }
}
