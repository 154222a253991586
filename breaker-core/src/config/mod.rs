//! The configuration of a circuit.

mod builder;
mod counted_statuses;
mod env;
mod error;
mod failure_rule;
mod policy;
mod typos;

use std::sync::Arc;
use std::time::Duration;

pub use builder::ConfigBuilder;
pub(crate) use counted_statuses::CountedStatuses;
pub use error::ConfigError;
pub use failure_rule::FailureRule;

/// The configuration of a circuit. Cheap to clone: clones share their settings.
///
/// By default, five consecutive failures open a circuit, the cooldown is 60 seconds, and one probe decides.
///
/// ```
/// use std::time::Duration;
/// use breaker_core::Config;
///
/// let config = Config::builder()
///     .failure_threshold(3)
///     .cooldown(Duration::from_secs(10))
///     .build()?;
/// assert_eq!(config.failure_threshold(), 3);
/// assert_eq!(Config::default().cooldown(), Duration::from_secs(60));
///
/// // Invalid values are errors; nothing is clamped.
/// let error = Config::builder().failure_threshold(0).build().unwrap_err();
/// assert_eq!(error.to_string(), "`failure_threshold` is 0, but must be at least 1");
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config(Arc<Settings>);

/// The checked settings of a [`Config`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) failure_threshold: u32,
    pub(crate) failure_window: Option<Duration>,
    pub(crate) failure_rate: Option<FailureRate>,
    pub(crate) answers: Answers,
    pub(crate) cooldown: Duration,
    pub(crate) cooldown_growth: Option<Growth>,
    pub(crate) cooldown_jitter: f64,
    pub(crate) half_open_probes: u32,
    pub(crate) probe_lease: Duration,
    pub(crate) inconclusive_probes: Option<u32>,
    pub(crate) dropped_after: Option<Duration>,
    pub(crate) response_statuses: bool,
    pub(crate) counted_statuses: CountedStatuses,
    pub(crate) failure_rule: FailureRule,
}

/// The effect of a marked error on the streak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Answers {
    /// A marked error clears the streak, like any answer.
    #[default]
    ClearStreak,
    /// A marked error leaves the streak unchanged; only an `Ok` clears it.
    KeepStreak,
}

/// The failure rate at which a circuit opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FailureRate {
    pub(crate) ratio: f64,
    pub(crate) minimum_calls: u32,
    pub(crate) window: Duration,
}

/// The growth of the cooldown while probes keep failing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Growth {
    pub(crate) factor: f64,
    pub(crate) max: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            failure_threshold: 5,
            failure_window: None,
            failure_rate: None,
            answers: Answers::ClearStreak,
            cooldown: Duration::from_secs(60),
            cooldown_growth: None,
            cooldown_jitter: 0.0,
            half_open_probes: 1,
            probe_lease: Duration::from_secs(30),
            inconclusive_probes: None,
            dropped_after: None,
            response_statuses: true,
            counted_statuses: CountedStatuses::default(),
            failure_rule: FailureRule::AnyError,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self(Arc::new(Settings::default()))
    }
}

impl Config {
    /// Starts a builder with the defaults.
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0
    }

    /// The number of failures in a row that opens a circuit.
    #[must_use]
    pub fn failure_threshold(&self) -> u32 {
        self.0.failure_threshold
    }

    /// The age up to which a failure counts; `None`: until an answer clears it.
    #[must_use]
    pub fn failure_window(&self) -> Option<Duration> {
        self.0.failure_window
    }

    /// The failure rate, as `(ratio, minimum_calls, window)`.
    #[must_use]
    pub fn failure_rate(&self) -> Option<(f64, u32, Duration)> {
        self.0.failure_rate.map(|rate| (rate.ratio, rate.minimum_calls, rate.window))
    }

    /// The effect of a marked error on the streak.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.0.answers
    }

    /// How long an open circuit rejects calls before a probe.
    #[must_use]
    pub fn cooldown(&self) -> Duration {
        self.0.cooldown
    }

    /// The growth of the cooldown, as `(factor, max)`.
    #[must_use]
    pub fn cooldown_growth(&self) -> Option<(f64, Duration)> {
        self.0.cooldown_growth.map(|growth| (growth.factor, growth.max))
    }

    /// The largest random extension of a cooldown, as a share of it.
    #[must_use]
    pub fn cooldown_jitter(&self) -> f64 {
        self.0.cooldown_jitter
    }

    /// The number of probes of a half-open circuit, all of which must succeed.
    #[must_use]
    pub fn half_open_probes(&self) -> u32 {
        self.0.half_open_probes
    }

    /// How long a probe may hold its slot before another caller may probe.
    #[must_use]
    pub fn probe_lease(&self) -> Duration {
        self.0.probe_lease
    }

    /// The number of inconclusive probes in a row after which the circuit opens again; `None`: never.
    #[must_use]
    pub fn inconclusive_probes(&self) -> Option<u32> {
        self.0.inconclusive_probes
    }

    /// The age from which a dropped call counts as failed; `None`: never.
    #[must_use]
    pub fn dropped_after(&self) -> Option<Duration> {
        self.0.dropped_after
    }

    /// Whether a response that a call returns with `Ok` is judged by its HTTP status.
    #[must_use]
    pub fn response_statuses(&self) -> bool {
        self.0.response_statuses
    }

    /// The HTTP statuses that count as failures, in ascending order, without the 500 of
    /// [`count_http_500`](Self::count_http_500).
    #[must_use]
    pub fn counted_statuses(&self) -> &[u16] {
        self.0.counted_statuses.listed()
    }

    /// Whether a response with status 500 counts as a failure in addition to the listed ones.
    #[must_use]
    pub fn count_http_500(&self) -> bool {
        self.0.counted_statuses.http_500
    }

    /// The rule that selects which errors count.
    #[must_use]
    pub fn failure_rule(&self) -> FailureRule {
        self.0.failure_rule
    }
}
