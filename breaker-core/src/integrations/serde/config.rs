//! Deserialisation of a [`Config`], and settings that a file applies to another configuration.

use std::time::Duration;

use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::duration::Text;
use super::rule::{AnswersName, Rule};
use crate::config::{Config, ConfigBuilder, Settings};

/// The settings that a file names. All other settings keep their values.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Given {
    failure_threshold: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_window: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_rate: Option<Rate>,
    failure_rule: Option<Rule>,
    answers: Option<AnswersName>,
    response_statuses: Option<bool>,
    counted_statuses: Option<Vec<u16>>,
    count_http_500: Option<bool>,
    cooldown: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cooldown_growth: Option<Growth>,
    cooldown_jitter: Option<f64>,
    half_open_probes: Option<u32>,
    probe_lease: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inconclusive_probes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_after: Option<Text>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    ratio: f64,
    minimum_calls: u32,
    window: Text,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Growth {
    factor: f64,
    max: Text,
}

impl Given {
    /// Applies these settings to a builder.
    pub(super) fn over(&self, builder: &ConfigBuilder) -> ConfigBuilder {
        /// Applies each setting that the file names to the builder.
        fn set<T: Clone>(
            builder: ConfigBuilder,
            given: Option<&T>,
            take: impl FnOnce(ConfigBuilder, T) -> ConfigBuilder,
        ) -> ConfigBuilder {
            match given {
                Some(value) => take(builder, value.clone()),
                None => builder,
            }
        }
        fn set_duration(
            builder: ConfigBuilder,
            given: Option<Text>,
            take: impl FnOnce(ConfigBuilder, Duration) -> ConfigBuilder,
        ) -> ConfigBuilder {
            set(builder, given.as_ref(), |builder, text| take(builder, text.0))
        }
        // Exhaustive, like the literal in `of`, so that a new setting does not compile before a file can contain it.
        let Self {
            failure_threshold,
            failure_window,
            failure_rate,
            failure_rule,
            answers,
            response_statuses,
            counted_statuses,
            count_http_500,
            cooldown,
            cooldown_growth,
            cooldown_jitter,
            half_open_probes,
            probe_lease,
            inconclusive_probes,
            dropped_after,
        } = self;
        let mut to = builder.clone();
        to = set(to, failure_threshold.as_ref(), ConfigBuilder::failure_threshold);
        to = set_duration(to, *failure_window, ConfigBuilder::failure_window);
        to = set(to, failure_rate.as_ref(), |to, rate| to.failure_rate(rate.ratio, rate.minimum_calls, rate.window.0));
        to = set(to, failure_rule.as_ref(), |to, rule| to.failure_rule(rule.0));
        to = set(to, answers.as_ref(), |to, answers| to.answers(answers.into()));
        to = set(to, response_statuses.as_ref(), ConfigBuilder::response_statuses);
        to = set(to, counted_statuses.as_ref(), ConfigBuilder::counted_statuses);
        to = set(to, count_http_500.as_ref(), ConfigBuilder::count_http_500);
        to = set_duration(to, *cooldown, ConfigBuilder::cooldown);
        to = set(to, cooldown_growth.as_ref(), |to, growth| to.cooldown_growth(growth.factor, growth.max.0));
        to = set(to, cooldown_jitter.as_ref(), ConfigBuilder::cooldown_jitter);
        to = set(to, half_open_probes.as_ref(), ConfigBuilder::half_open_probes);
        to = set_duration(to, *probe_lease, ConfigBuilder::probe_lease);
        to = set(to, inconclusive_probes.as_ref(), ConfigBuilder::inconclusive_probes);
        set_duration(to, *dropped_after, ConfigBuilder::dropped_after)
    }

    fn of(config: &Config) -> Self {
        let Settings {
            failure_threshold,
            failure_window,
            failure_rate,
            answers,
            cooldown,
            cooldown_growth,
            cooldown_jitter,
            half_open_probes,
            probe_lease,
            inconclusive_probes,
            dropped_after,
            response_statuses,
            counted_statuses,
            failure_rule,
        } = config.settings();
        Self {
            failure_threshold: Some(*failure_threshold),
            failure_window: failure_window.map(Text),
            failure_rate: failure_rate.map(|rate| Rate {
                ratio: rate.ratio,
                minimum_calls: rate.minimum_calls,
                window: Text(rate.window),
            }),
            failure_rule: Some(Rule(*failure_rule)),
            answers: Some((*answers).into()),
            response_statuses: Some(*response_statuses),
            counted_statuses: Some(counted_statuses.listed().to_vec()),
            count_http_500: Some(counted_statuses.http_500),
            cooldown: Some(Text(*cooldown)),
            cooldown_growth: cooldown_growth.map(|growth| Growth { factor: growth.factor, max: Text(growth.max) }),
            cooldown_jitter: Some(*cooldown_jitter),
            half_open_probes: Some(*half_open_probes),
            probe_lease: Some(Text(*probe_lease)),
            inconclusive_probes: *inconclusive_probes,
            dropped_after: dropped_after.map(Text),
        }
    }
}

/// The settings are named like the methods of [`ConfigBuilder`]; those that are missing have their defaults. Durations
/// are text with units, such as `"30s"`.
///
/// ```
/// use std::time::Duration;
/// use breaker_core::Config;
///
/// let config: Config = serde_json::from_str(r#"{
///     "failure_threshold": 3,
///     "cooldown": "1m 30s",
///     "failure_rate": { "ratio": 0.5, "minimum_calls": 20, "window": "1m" },
///     "failure_rule": "transport"
/// }"#)?;
/// assert_eq!(config.cooldown(), Duration::from_secs(90));
///
/// // An invalid setting is refused with the text of its `ConfigError`.
/// let error = serde_json::from_str::<Config>(r#"{ "half_open_probes": 0 }"#).unwrap_err();
/// assert!(error.to_string().contains("`half_open_probes` is 0, but must be at least 1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Given::deserialize(deserializer)?.over(&Self::builder()).build().map_err(de::Error::custom)
    }
}

/// Every setting, in the form that is read.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Given::of(self).serialize(serializer)
    }
}
