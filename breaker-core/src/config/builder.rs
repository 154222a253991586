//! The builder of a configuration, with the ranges of all settings.

use std::fmt::Debug;
use std::time::Duration;

use super::{Answers, Config, ConfigError, FailureRate, FailureRule, Growth, Settings};

/// With a failure window, a failing circuit stores the times of this many failures.
const MAX_THRESHOLD_IN_WINDOW: u32 = 10_000;

/// Collects the settings of a [`Config`]. [`build`](Self::build) checks them.
#[derive(Clone, Debug, Default)]
#[must_use = "settings have no effect until they are built"]
pub struct ConfigBuilder {
    settings: Settings,
}

impl ConfigBuilder {
    /// Sets the number of failures in a row that opens the circuit. Default 5, at least 1.
    pub fn failure_threshold(mut self, failures: u32) -> Self {
        self.settings.failure_threshold = failures;
        self
    }

    /// Counts only failures that are younger than this. Default: no limit. An answer clears them as without a window.
    ///
    /// With a window, [`failure_threshold`](Self::failure_threshold) is at most 10,000, because a failing circuit
    /// stores the time of each failure.
    pub fn failure_window(mut self, window: Duration) -> Self {
        self.settings.failure_window = Some(window);
        self
    }

    /// Adds a second condition, which cleared streaks cannot mask: the circuit opens when at least `ratio` of the calls
    /// within `window` failed and there were at least `minimum_calls`. Default: off.
    ///
    /// Only a failure opens the circuit. An answer never does, even if it completes the minimum.
    ///
    /// `ratio` is above 0 and at most 1. The window slides in sixteenths of its length. With a rate, every answer of a
    /// closed circuit is counted, so its calls briefly share a lock.
    pub fn failure_rate(mut self, ratio: f64, minimum_calls: u32, window: Duration) -> Self {
        self.settings.failure_rate = Some(FailureRate { ratio, minimum_calls, window });
        self
    }

    /// Sets the effect of a marked error on the streak. Default [`Answers::ClearStreak`].
    pub fn answers(mut self, answers: Answers) -> Self {
        self.settings.answers = answers;
        self
    }

    /// Sets how long an open circuit rejects calls before a probe. Default 60 s, longer than zero.
    pub fn cooldown(mut self, cooldown: Duration) -> Self {
        self.settings.cooldown = cooldown;
        self
    }

    /// Multiplies the cooldown by `factor` each time a half-open circuit opens again, up to `max`. Default: off.
    ///
    /// `factor` is at least 1, and `max` at least the cooldown.
    pub fn cooldown_growth(mut self, factor: f64, max: Duration) -> Self {
        self.settings.cooldown_growth = Some(Growth { factor, max });
        self
    }

    /// Extends each cooldown at random by up to this share of itself, so that circuits do not probe in lockstep.
    /// Default 0, from 0 to 1. It never shortens a cooldown, and it may exceed the `max` of
    /// [`cooldown_growth`](Self::cooldown_growth).
    ///
    /// The random extension differs between circuits and between processes, which therefore do not probe together after
    /// they opened together. In a test, [`RegistryBuilder::jitter_seed`](crate::RegistryBuilder::jitter_seed) makes it
    /// repeatable. To probe once for all processes, use a [fleet](crate::fleet).
    pub fn cooldown_jitter(mut self, ratio: f64) -> Self {
        self.settings.cooldown_jitter = ratio;
        self
    }

    /// Sets the number of probes of a half-open circuit, all of which must succeed. Default 1, at least 1.
    pub fn half_open_probes(mut self, probes: u32) -> Self {
        self.settings.half_open_probes = probes;
        self
    }

    /// Sets how long a probe may hold its slot before another caller may probe. Default 30 s, longer than zero.
    ///
    /// Choose a value longer than the longest call that may still succeed.
    pub fn probe_lease(mut self, lease: Duration) -> Self {
        self.settings.probe_lease = lease;
        self
    }

    /// Sets after how many inconclusive probes in a row the circuit opens again. Default: never; at least 1.
    ///
    /// An inconclusive probe has ended. A probe whose lease is over and that still holds its slot is overtaken, which
    /// does not count here.
    pub fn inconclusive_probes(mut self, probes: u32) -> Self {
        self.settings.inconclusive_probes = Some(probes);
        self
    }

    /// Counts a call that is dropped before it finished as failed if it ran longer than this. Default: never; longer
    /// than zero.
    pub fn dropped_after(mut self, age: Duration) -> Self {
        self.settings.dropped_after = Some(age);
        self
    }

    /// Sets whether a response that a call returns with `Ok` is judged by its HTTP status. Default true. If false, such a
    /// response is an answer, like every other value in `Ok`.
    ///
    /// Without the feature `http` no response is judged. Another crate of the tree may turn that feature on, by itself or through
    /// `reqwest` or `tower`. With `false` the circuit then behaves as before. The statuses of errors are judged in any case.
    ///
    /// ```
    /// # #[cfg(feature = "http")] {
    /// use breaker_core::{Circuit, CircuitOpen, Config};
    /// use http::StatusCode;
    ///
    /// let config = Config::builder().response_statuses(false).build()?;
    /// let shop = Circuit::new("shop", config);
    /// let status = shop.call_response(|| Ok::<_, CircuitOpen>(StatusCode::SERVICE_UNAVAILABLE));
    /// assert_eq!(status.unwrap(), StatusCode::SERVICE_UNAVAILABLE);
    /// assert_eq!(shop.snapshot().failed, 0);
    /// # }
    /// # Ok::<(), breaker_core::ConfigError>(())
    /// ```
    pub fn response_statuses(mut self, judged: bool) -> Self {
        self.settings.response_statuses = judged;
        self
    }

    /// Sets the HTTP statuses that count as failures. Default 502, 503 and 504. Each is from 100 to 599, not a 2xx, and
    /// listed once.
    ///
    /// They apply to a response that a call returns with `Ok` (feature `http`), and to an error with a status. Of all
    /// other statuses, 2xx, 3xx and definite answers such as 404 are answers, and the rest are Unknown.
    pub fn counted_statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.settings.counted_statuses.list(statuses);
        self
    }

    /// Sets whether a response with status 500 counts as a failure too, in addition to
    /// [`counted_statuses`](Self::counted_statuses). Default false, because many systems answer business faults with
    /// 500.
    pub fn count_http_500(mut self, counts: bool) -> Self {
        self.settings.counted_statuses.http_500 = counts;
        self
    }

    /// Sets which errors count. Default [`FailureRule::AnyError`].
    pub fn failure_rule(mut self, rule: FailureRule) -> Self {
        self.settings.failure_rule = rule;
        self
    }

    /// Builds the configuration, if every setting is valid.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the first invalid setting, its value and the allowed range.
    pub fn build(self) -> Result<Config, ConfigError> {
        let settings = self.settings;
        check(&settings)?;
        Ok(Config(settings.into()))
    }
}

/// Checks every setting. Exhaustive, so that a new setting does not compile before its range is decided.
fn check(settings: &Settings) -> Result<(), ConfigError> {
    let Settings {
        failure_threshold,
        failure_window,
        failure_rate,
        answers: _,
        cooldown,
        cooldown_growth,
        cooldown_jitter,
        half_open_probes,
        probe_lease,
        inconclusive_probes,
        dropped_after,
        response_statuses: _,
        counted_statuses,
        failure_rule: _,
    } = settings;
    at_least_one("failure_threshold", *failure_threshold)?;
    longer_than_zero("cooldown", *cooldown)?;
    at_least_one("half_open_probes", *half_open_probes)?;
    longer_than_zero("probe_lease", *probe_lease)?;
    ensure((0.0..=1.0).contains(cooldown_jitter), "cooldown_jitter", *cooldown_jitter, "from 0 to 1")?;
    if let Some(probes) = inconclusive_probes {
        at_least_one("inconclusive_probes", *probes)?;
    }
    if let Some(age) = dropped_after {
        longer_than_zero("dropped_after", *age)?;
    }
    if let Some(window) = failure_window {
        longer_than_zero("failure_window", *window)?;
        let allowed = "at most 10000 together with a `failure_window`";
        ensure(*failure_threshold <= MAX_THRESHOLD_IN_WINDOW, "failure_threshold", *failure_threshold, allowed)?;
    }
    if let Some(FailureRate { ratio, minimum_calls, window }) = *failure_rate {
        ensure(ratio > 0.0 && ratio <= 1.0, "failure_rate.ratio", ratio, "above 0 and at most 1")?;
        at_least_one("failure_rate.minimum_calls", minimum_calls)?;
        longer_than_zero("failure_rate.window", window)?;
    }
    if let Some(Growth { factor, max }) = *cooldown_growth {
        ensure(factor.is_finite() && factor >= 1.0, "cooldown_growth.factor", factor, "at least 1 and finite")?;
        let allowed = format!("at least the `cooldown` of {cooldown:?}");
        ensure(max >= *cooldown, "cooldown_growth.max", max, allowed)?;
    }
    counted_statuses.check("counted_statuses")
}

fn at_least_one(setting: &'static str, value: u32) -> Result<(), ConfigError> {
    ensure(value >= 1, setting, value, "at least 1")
}

fn longer_than_zero(setting: &'static str, value: Duration) -> Result<(), ConfigError> {
    ensure(!value.is_zero(), setting, value, "longer than zero")
}

fn ensure(
    holds: bool,
    setting: &'static str,
    value: impl Debug,
    allowed: impl Into<String>,
) -> Result<(), ConfigError> {
    if holds { Ok(()) } else { Err(ConfigError::new(setting, format!("{value:?}"), allowed)) }
}
