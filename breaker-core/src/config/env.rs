//! Settings from environment variables.

use std::env::VarError;
use std::time::Duration;

use super::{Answers, Config, ConfigBuilder, ConfigError, CountedStatuses, FailureRule, Settings, typos};

impl Config {
    /// Returns the defaults, overridden by environment variables.
    ///
    /// | variable | setting |
    /// |---|---|
    /// | `CIRCUIT_BREAKER_FAILURE_THRESHOLD` | [`failure_threshold`](ConfigBuilder::failure_threshold) |
    /// | `CIRCUIT_BREAKER_FAILURE_WINDOW_SECONDS` | [`failure_window`](ConfigBuilder::failure_window) |
    /// | `CIRCUIT_BREAKER_FAILURE_RATE`, `..._FAILURE_RATE_MINIMUM_CALLS`, `..._FAILURE_RATE_WINDOW_SECONDS`, all three | [`failure_rate`](ConfigBuilder::failure_rate) |
    /// | `CIRCUIT_BREAKER_ANSWERS` (`clear_streak`, `keep_streak`) | [`answers`](ConfigBuilder::answers) |
    /// | `CIRCUIT_BREAKER_COOLDOWN_SECONDS` | [`cooldown`](ConfigBuilder::cooldown) |
    /// | `CIRCUIT_BREAKER_COOLDOWN_GROWTH_FACTOR`, `..._COOLDOWN_GROWTH_MAX_SECONDS`, both | [`cooldown_growth`](ConfigBuilder::cooldown_growth) |
    /// | `CIRCUIT_BREAKER_COOLDOWN_JITTER` | [`cooldown_jitter`](ConfigBuilder::cooldown_jitter) |
    /// | `CIRCUIT_BREAKER_HALF_OPEN_PROBES` | [`half_open_probes`](ConfigBuilder::half_open_probes) |
    /// | `CIRCUIT_BREAKER_PROBE_LEASE_SECONDS` | [`probe_lease`](ConfigBuilder::probe_lease) |
    /// | `CIRCUIT_BREAKER_INCONCLUSIVE_PROBES` | [`inconclusive_probes`](ConfigBuilder::inconclusive_probes) |
    /// | `CIRCUIT_BREAKER_DROPPED_AFTER_SECONDS` | [`dropped_after`](ConfigBuilder::dropped_after) |
    /// | `CIRCUIT_BREAKER_RESPONSE_STATUSES` (`true`, `false`) | [`response_statuses`](ConfigBuilder::response_statuses) |
    /// | `CIRCUIT_BREAKER_COUNTED_STATUSES` (such as `502,503,504`) | [`counted_statuses`](ConfigBuilder::counted_statuses) |
    /// | `CIRCUIT_BREAKER_COUNT_HTTP_500` (`true`, `false`) | [`count_http_500`](ConfigBuilder::count_http_500) |
    /// | `CIRCUIT_BREAKER_FAILURE_RULE` (`any_error`, `transport`) | [`failure_rule`](ConfigBuilder::failure_rule) |
    /// | `CIRCUIT_BREAKER_TRANSPORT_TIMEOUTS`, `CIRCUIT_BREAKER_TRANSPORT_CONNECTION_ERRORS` (`true`, `false`) | what counts under the rule `transport`, both `true` by default |
    ///
    /// Seconds may have a fraction, such as `0.5`.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the variable if it is empty, not a number, not UTF-8 or out of range, if one of a
    /// group is set without the others, or if its name is a misspelling of one of these: at most two letters differ, or
    /// only the unit of time does (`CIRCUIT_BREAKER_COOLDOWN_MS`). Other variables that begin with `CIRCUIT_BREAKER_`
    /// are ignored.
    pub fn from_env() -> Result<Self, ConfigError> {
        typos::check(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))?;
        Self::from_variables(|name| match std::env::var(name) {
            Ok(value) => Some(value),
            Err(VarError::NotPresent) => None,
            // No setting accepts the replacement character, so the value is reported as invalid.
            Err(VarError::NotUnicode(value)) => Some(value.to_string_lossy().into_owned()),
        })
    }

    /// Reads variables through this function instead of the environment of the process. Misspelled names cannot be
    /// detected here.
    ///
    /// ```
    /// use breaker_core::Config;
    ///
    /// let config = Config::from_variables(|name| {
    ///     (name == "CIRCUIT_BREAKER_FAILURE_THRESHOLD").then(|| "3".to_owned())
    /// })?;
    /// assert_eq!(config.failure_threshold(), 3);
    /// # Ok::<(), breaker_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`from_env`](Self::from_env).
    pub fn from_variables(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut builder = Self::builder();
        for (variable, read) in SINGLE {
            if let Some(value) = look_up(variable) {
                builder = read(builder, variable, value.trim())?;
            }
        }
        let variables = Variables(&look_up);
        builder = variables.failure_rate(builder)?;
        builder = variables.cooldown_growth(builder)?;
        builder = variables.failure_rule(builder)?;
        builder.build()
    }
}

/// Exhaustive, so that a new setting does not compile before its variable is decided.
const _: fn(Settings) = |settings| {
    let Settings {
        failure_threshold: _,   // SINGLE
        failure_window: _,      // SINGLE
        failure_rate: _,        // FAILURE_RATE
        answers: _,             // SINGLE
        cooldown: _,            // SINGLE
        cooldown_growth: _,     // COOLDOWN_GROWTH
        cooldown_jitter: _,     // SINGLE
        half_open_probes: _,    // SINGLE
        probe_lease: _,         // SINGLE
        inconclusive_probes: _, // SINGLE
        dropped_after: _,       // SINGLE
        response_statuses: _,   // SINGLE
        counted_statuses: _,    // SINGLE, with COUNT_HTTP_500
        failure_rule: _,        // RULE and KINDS
    } = settings;
};

type Read = fn(ConfigBuilder, &'static str, &str) -> Result<ConfigBuilder, ConfigError>;

/// The variables that set one setting each.
const SINGLE: [(&str, Read); 12] = [
    ("CIRCUIT_BREAKER_FAILURE_THRESHOLD", |to, name, text| Ok(to.failure_threshold(count(name, text)?))),
    ("CIRCUIT_BREAKER_FAILURE_WINDOW_SECONDS", |to, name, text| Ok(to.failure_window(seconds(name, text)?))),
    ("CIRCUIT_BREAKER_ANSWERS", |to, name, text| Ok(to.answers(answers(name, text)?))),
    ("CIRCUIT_BREAKER_COOLDOWN_SECONDS", |to, name, text| Ok(to.cooldown(seconds(name, text)?))),
    ("CIRCUIT_BREAKER_COOLDOWN_JITTER", |to, name, text| Ok(to.cooldown_jitter(share(name, text)?))),
    ("CIRCUIT_BREAKER_HALF_OPEN_PROBES", |to, name, text| Ok(to.half_open_probes(count(name, text)?))),
    ("CIRCUIT_BREAKER_PROBE_LEASE_SECONDS", |to, name, text| Ok(to.probe_lease(seconds(name, text)?))),
    ("CIRCUIT_BREAKER_INCONCLUSIVE_PROBES", |to, name, text| Ok(to.inconclusive_probes(count(name, text)?))),
    ("CIRCUIT_BREAKER_DROPPED_AFTER_SECONDS", |to, name, text| Ok(to.dropped_after(seconds(name, text)?))),
    ("CIRCUIT_BREAKER_RESPONSE_STATUSES", |to, name, text| Ok(to.response_statuses(flag(name, text)?))),
    ("CIRCUIT_BREAKER_COUNTED_STATUSES", |to, name, text| Ok(to.counted_statuses(statuses(name, text)?))),
    ("CIRCUIT_BREAKER_COUNT_HTTP_500", |to, name, text| Ok(to.count_http_500(flag(name, text)?))),
];

const FAILURE_RATE: [&str; 3] = [
    "CIRCUIT_BREAKER_FAILURE_RATE",
    "CIRCUIT_BREAKER_FAILURE_RATE_MINIMUM_CALLS",
    "CIRCUIT_BREAKER_FAILURE_RATE_WINDOW_SECONDS",
];
const COOLDOWN_GROWTH: [&str; 2] =
    ["CIRCUIT_BREAKER_COOLDOWN_GROWTH_FACTOR", "CIRCUIT_BREAKER_COOLDOWN_GROWTH_MAX_SECONDS"];
const RULE: &str = "CIRCUIT_BREAKER_FAILURE_RULE";
const KINDS: [&str; 2] = ["CIRCUIT_BREAKER_TRANSPORT_TIMEOUTS", "CIRCUIT_BREAKER_TRANSPORT_CONNECTION_ERRORS"];

/// All variables that are read.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let single = SINGLE.iter().map(|(name, _)| *name);
    single.chain(FAILURE_RATE).chain(COOLDOWN_GROWTH).chain([RULE]).chain(KINDS)
}

struct Variables<'a, F>(&'a F);

impl<F: Fn(&str) -> Option<String>> Variables<'_, F> {
    fn failure_rate(&self, builder: ConfigBuilder) -> Result<ConfigBuilder, ConfigError> {
        const NAMES: [&str; 3] = FAILURE_RATE;
        let Some([ratio, minimum_calls, window]) = self.group(NAMES)? else { return Ok(builder) };
        let ratio =
            number_within(NAMES[0], &ratio, "a number above 0 and at most 1", |ratio| ratio > 0.0 && ratio <= 1.0)?;
        Ok(builder.failure_rate(ratio, count(NAMES[1], &minimum_calls)?, seconds(NAMES[2], &window)?))
    }

    fn cooldown_growth(&self, builder: ConfigBuilder) -> Result<ConfigBuilder, ConfigError> {
        const NAMES: [&str; 2] = COOLDOWN_GROWTH;
        let Some([factor, max]) = self.group(NAMES)? else { return Ok(builder) };
        let factor = number_within(NAMES[0], &factor, "a finite number of at least 1", |factor| factor >= 1.0)?;
        Ok(builder.cooldown_growth(factor, seconds(NAMES[1], &max)?))
    }

    fn failure_rule(&self, builder: ConfigBuilder) -> Result<ConfigBuilder, ConfigError> {
        let kinds = KINDS.map(|name| self.0(name).map(|text| flag(name, text.trim())));
        match self.0(RULE).as_deref().map(str::trim) {
            Some("transport") => {
                let [timeouts, connection_errors] = kinds.map(|kind| kind.unwrap_or(Ok(true)));
                let (timeouts, connection_errors) = (timeouts?, connection_errors?);
                Ok(builder.failure_rule(FailureRule::Transport { timeouts, connection_errors }))
            }
            rule @ (None | Some("any_error")) => match KINDS.iter().zip(&kinds).find(|(_, kind)| kind.is_some()) {
                Some((name, _)) => {
                    let allowed = format!("set together with `{RULE}` as `transport`");
                    Err(ConfigError::new(*name, "set", allowed))
                }
                None if rule.is_some() => Ok(builder.failure_rule(FailureRule::AnyError)),
                None => Ok(builder),
            },
            Some(text) => Err(bad(RULE, text, "`any_error` or `transport`")),
        }
    }

    /// Returns the values of variables that only apply together; `None` where none of them is set.
    fn group<const N: usize>(&self, names: [&'static str; N]) -> Result<Option<[String; N]>, ConfigError> {
        let values = names.map(|name| self.0(name).map(|value| value.trim().to_owned()));
        if values.iter().all(Option::is_none) {
            return Ok(None);
        }
        for (name, value) in names.iter().zip(&values) {
            if value.is_none() {
                let others = names.iter().filter(|other| *other != name).map(|other| format!("`{other}`"));
                let allowed = format!("set together with {}", others.collect::<Vec<_>>().join(" and "));
                return Err(ConfigError::new(*name, "missing", allowed));
            }
        }
        Ok(Some(values.map(Option::unwrap_or_default)))
    }
}

fn count(name: &'static str, text: &str) -> Result<u32, ConfigError> {
    match text.parse() {
        Ok(number) if number >= 1 => Ok(number),
        _ => Err(bad(name, text, "a whole number from 1 to 4294967295")),
    }
}

fn seconds(name: &'static str, text: &str) -> Result<Duration, ConfigError> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| bad(name, text, "a number of seconds above 0"))
}

fn share(name: &'static str, text: &str) -> Result<f64, ConfigError> {
    number_within(name, text, "a number from 0 to 1", |ratio| (0.0..=1.0).contains(&ratio))
}

fn answers(name: &'static str, text: &str) -> Result<Answers, ConfigError> {
    match text {
        "clear_streak" => Ok(Answers::ClearStreak),
        "keep_streak" => Ok(Answers::KeepStreak),
        _ => Err(bad(name, text, "`clear_streak` or `keep_streak`")),
    }
}

fn statuses(name: &'static str, text: &str) -> Result<Vec<u16>, ConfigError> {
    let statuses: Vec<u16> = text
        .split(',')
        .map(|status| status.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| bad(name, text, "HTTP statuses from 100 to 599, separated by commas"))?;
    let mut counted = CountedStatuses::default();
    counted.list(statuses.iter().copied());
    counted.check(name)?;
    Ok(statuses)
}

fn flag(name: &'static str, text: &str) -> Result<bool, ConfigError> {
    text.parse().map_err(|_| bad(name, text, "`true` or `false`"))
}

fn number_within(
    name: &'static str,
    text: &str,
    allowed: &str,
    holds: impl Fn(f64) -> bool,
) -> Result<f64, ConfigError> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && holds(number) => Ok(number),
        _ => Err(bad(name, text, allowed)),
    }
}

fn bad(name: &'static str, text: &str, allowed: &str) -> ConfigError {
    ConfigError::new(name, format!("{text:?}"), allowed)
}
