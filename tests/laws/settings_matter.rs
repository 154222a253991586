//! Every setting has an effect: for each there are two values and a scenario in which they differ.

use std::time::Duration;

use crate::common::{
    COOLDOWN, CallError, LEASE, Outcome, SECOND, call, circuit, config, fail, half_open, permit, succeed,
};
use breaker_core::testing::ManualClock;
use breaker_core::{Answers, Circuit, Config, ConfigBuilder, Evidence, FailureRule, Registry, State, breaker};

/// A setting, two values of it, and a scenario that returns what it observed.
struct Scenario {
    name: &'static str,
    one: fn(ConfigBuilder) -> ConfigBuilder,
    other: fn(ConfigBuilder) -> ConfigBuilder,
    see: fn(&Circuit, &ManualClock) -> String,
}

fn same(config: ConfigBuilder) -> ConfigBuilder {
    config
}

fn fail_while_closed(circuit: &Circuit) -> u32 {
    let mut failures = 0;
    while circuit.state() == State::Closed && failures < 100 {
        fail(circuit, 1);
        failures += 1;
    }
    failures
}

/// The cooldowns of an opening and of three reopenings.
fn cooldowns(circuit: &Circuit, clock: &ManualClock) -> String {
    circuit.trip();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let cooldown = circuit.snapshot().retry_after.unwrap();
        seen.push(cooldown);
        clock.advance(cooldown);
        assert!(call(circuit, Evidence::Failed));
    }
    format!("{seen:?}")
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "failure_threshold",
        one: |config| config.failure_threshold(2),
        other: |config| config.failure_threshold(3),
        see: |circuit, _| fail_while_closed(circuit).to_string(),
    },
    Scenario {
        name: "failure_window",
        one: |config| config.failure_threshold(2),
        other: |config| config.failure_threshold(2).failure_window(SECOND),
        see: |circuit, clock| {
            fail(circuit, 1);
            clock.advance(2 * SECOND);
            fail(circuit, 1);
            circuit.state().to_string()
        },
    },
    Scenario {
        name: "failure_rate",
        one: |config| config.failure_threshold(100),
        other: |config| config.failure_threshold(100).failure_rate(0.5, 10, SECOND),
        see: |circuit, _| fail_while_closed(circuit).to_string(),
    },
    Scenario {
        name: "failure_rate (ratio)",
        one: |config| config.failure_threshold(100).failure_rate(0.5, 10, SECOND),
        other: |config| config.failure_threshold(100).failure_rate(0.9, 10, SECOND),
        see: |circuit, _| {
            succeed(circuit, 10);
            fail_while_closed(circuit).to_string()
        },
    },
    Scenario {
        name: "failure_rate (minimum_calls)",
        one: |config| config.failure_threshold(100).failure_rate(0.5, 10, SECOND),
        other: |config| config.failure_threshold(100).failure_rate(0.5, 11, SECOND),
        see: |circuit, _| fail_while_closed(circuit).to_string(),
    },
    Scenario {
        name: "failure_rate (window)",
        one: |config| config.failure_threshold(100).failure_rate(0.5, 10, SECOND),
        other: |config| config.failure_threshold(100).failure_rate(0.5, 10, 10 * SECOND),
        see: |circuit, clock| {
            succeed(circuit, 20);
            clock.advance(2 * SECOND);
            fail_while_closed(circuit).to_string()
        },
    },
    Scenario {
        name: "answers",
        one: |config| config.failure_threshold(2).answers(Answers::ClearStreak),
        other: |config| config.failure_threshold(2).answers(Answers::KeepStreak),
        see: |circuit, _| {
            fail(circuit, 1);
            let marked: Outcome = circuit.call(|| Err(CallError::NotFound));
            assert!(marked.is_err());
            circuit.snapshot().streak.to_string()
        },
    },
    Scenario {
        name: "cooldown",
        one: |config| config.cooldown(SECOND),
        other: |config| config.cooldown(2 * SECOND),
        see: cooldowns,
    },
    Scenario {
        name: "cooldown_growth",
        one: same,
        other: |config| config.cooldown_growth(2.0, 100 * COOLDOWN),
        see: cooldowns,
    },
    Scenario {
        name: "cooldown_growth (factor)",
        one: |config| config.cooldown_growth(3.0, 100 * COOLDOWN),
        other: |config| config.cooldown_growth(2.0, 100 * COOLDOWN),
        see: cooldowns,
    },
    Scenario {
        name: "cooldown_growth (max)",
        one: |config| config.cooldown_growth(3.0, 10 * COOLDOWN),
        other: |config| config.cooldown_growth(3.0, 20 * COOLDOWN),
        see: cooldowns,
    },
    Scenario { name: "cooldown_jitter", one: same, other: |config| config.cooldown_jitter(0.5), see: cooldowns },
    Scenario {
        name: "half_open_probes",
        one: |config| config.half_open_probes(1),
        other: |config| config.half_open_probes(2),
        see: |circuit, clock| {
            half_open(circuit, clock);
            succeed(circuit, 1);
            circuit.state().to_string()
        },
    },
    Scenario {
        name: "probe_lease",
        one: |config| config.probe_lease(LEASE),
        other: |config| config.probe_lease(2 * LEASE),
        see: |circuit, clock| {
            half_open(circuit, clock);
            let _slow = permit(circuit);
            clock.advance(LEASE);
            circuit.try_acquire().is_ok().to_string()
        },
    },
    Scenario {
        name: "inconclusive_probes",
        one: same,
        other: |config| config.inconclusive_probes(2),
        see: |circuit, clock| {
            half_open(circuit, clock);
            assert!(call(circuit, Evidence::Unknown) && call(circuit, Evidence::Unknown));
            circuit.state().to_string()
        },
    },
    Scenario {
        name: "dropped_after",
        one: same,
        other: |config| config.dropped_after(SECOND),
        see: |circuit, clock| {
            let dropped = permit(circuit);
            clock.advance(2 * SECOND);
            drop(dropped);
            circuit.snapshot().streak.to_string()
        },
    },
    Scenario {
        name: "response_statuses",
        one: same,
        other: |config| config.response_statuses(false),
        see: |circuit, _| {
            drop(answer_with(circuit, 503));
            circuit.snapshot().streak.to_string()
        },
    },
    Scenario {
        name: "counted_statuses",
        one: same,
        other: |config| config.counted_statuses([502, 507]),
        see: |circuit, _| {
            drop(answer_with(circuit, 507));
            circuit.snapshot().streak.to_string()
        },
    },
    Scenario {
        name: "count_http_500",
        one: same,
        other: |config| config.count_http_500(true),
        see: |circuit, _| {
            drop(answer_with(circuit, 500));
            circuit.snapshot().streak.to_string()
        },
    },
    Scenario {
        name: "failure_rule",
        one: same,
        other: |config| config.failure_rule(FailureRule::Transport { timeouts: true, connection_errors: true }),
        see: |circuit, _| {
            let declined: Outcome = circuit.call(|| Err(CallError::Down));
            assert!(declined.is_err());
            circuit.snapshot().streak.to_string()
        },
    },
];

#[breaker(connection = circuit)]
fn answer_with(circuit: &Circuit, status: u16) -> Result<http::Response<()>, CallError> {
    Ok(http::Response::builder().status(status).body(()).expect("a status is all it has"))
}

fn seen(scenario: &Scenario, settings: fn(ConfigBuilder) -> ConfigBuilder) -> String {
    let (circuit, clock) = circuit(settings);
    (scenario.see)(&circuit, &clock)
}

// Fails if a setting is stored and never used.
#[test]
fn two_values_of_each_setting_differ() {
    for scenario in SCENARIOS {
        assert_ne!(seen(scenario, scenario.one), seen(scenario, scenario.other), "`{}` has no effect", scenario.name);
        assert_eq!(
            seen(scenario, scenario.one),
            seen(scenario, scenario.one),
            "`{}`: the scenario is not repeatable",
            scenario.name
        );
        assert_ne!(config(scenario.one), config(scenario.other));
    }
}

// Fails if a new setting has no scenario, or is not described in the guide.
#[test]
fn every_setting_has_a_scenario() {
    let shown = format!("{:#?}", Config::default());
    let fields: Vec<_> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("        ")?.split_once(": "))
        .map(|(field, _)| field)
        .filter(|field| !field.starts_with(' '))
        .collect();
    assert!(fields.len() >= 11, "{shown}");
    let guide = include_str!("../../docs/settings.md");
    for field in fields {
        assert!(SCENARIOS.iter().any(|scenario| scenario.name == field), "no scenario for `{field}`");
        assert!(guide.contains(&format!("`{field}`")), "`{field}` is not in docs/settings.md");
    }
}

#[test]
fn settings_of_a_registry_have_an_effect() {
    let two = || config(|config| config.failure_threshold(2));
    let build = |builder: breaker_core::RegistryBuilder| builder.build().unwrap();
    let threshold = |registry: &Registry, connection: &str| fail_while_closed(&registry.circuit(connection));

    let plain = build(Registry::builder());
    assert_eq!(threshold(&plain, "a"), 5);
    let configured = build(Registry::builder().config(two()));
    assert_eq!(threshold(&configured, "a"), 2);
    let for_one = build(Registry::builder().config_for("a", two()));
    assert_eq!([threshold(&for_one, "a"), threshold(&for_one, "b")], [2, 5]);
    let by_key = build(Registry::builder().config_with(move |key| key.starts_with("crm:").then(two)));
    assert_eq!([threshold(&by_key, "crm:7"), threshold(&by_key, "shop:7")], [2, 5]);
    // The configuration of one connection takes precedence over the function for all connections.
    let both = build(
        Registry::builder()
            .config_for("crm:7", config(|config| config.failure_threshold(3)))
            .config_with(|_| Some(Config::default())),
    );
    assert_eq!(threshold(&both, "crm:7"), 3);

    let clock = ManualClock::new();
    let clocked = build(Registry::builder().clock(clock.clone()).idle_after(SECOND).capacity(2));
    for key in 0..5 {
        drop(clocked.circuit(&key));
    }
    assert_eq!(clocked.len(), 2);
    clock.advance(Duration::from_secs(1));
    assert_eq!(clocked.len(), 0);
}
