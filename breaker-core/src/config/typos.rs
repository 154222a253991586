//! Detection of misspelled environment variables.
//!
//! A misspelled variable would have no effect, and the mistake would stay unnoticed. But the environment is shared, and
//! a variable with the same prefix may belong to another program, so only near misses are errors.

use super::{ConfigError, env};

/// The largest number of differing letters.
const NEAR: usize = 2;

/// Units of time; a longer unit comes before the unit in which it ends.
const UNITS: [&str; 12] = [
    "_MILLISECONDS",
    "_MILLISECS",
    "_MILLIS",
    "_SECONDS",
    "_MINUTES",
    "_SECOND",
    "_HOURS",
    "_SECS",
    "_MINS",
    "_SEC",
    "_MS",
    "_S",
];

/// Fails if a variable is most likely a misspelled setting.
pub(super) fn check(names: impl Iterator<Item = String>) -> Result<(), ConfigError> {
    for name in names {
        if let Some(right) = meant(&name) {
            return Err(ConfigError::new(name, "set", format!("spelt `{right}`")));
        }
    }
    Ok(())
}

/// Returns the variable of which a name is a misspelling.
fn meant(name: &str) -> Option<&'static str> {
    let upper = name.to_ascii_uppercase();
    if let Some(right) = env::names().find(|known| *known == upper) {
        // Environment variables on Windows are case-insensitive.
        return (name != right && !cfg!(windows)).then_some(right);
    }
    let of_unit = env::names().find(|known| without_unit(known) == without_unit(&upper));
    of_unit.or_else(|| {
        // The whole name is compared, because the prefix may be misspelled too.
        let alike = env::names().filter(|known| known.len().abs_diff(upper.len()) <= NEAR);
        let near = alike.map(|known| (distance(&upper, known), known));
        near.filter(|(distance, _)| *distance <= NEAR).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
    })
}

fn without_unit(setting: &str) -> &str {
    UNITS.iter().find_map(|unit| setting.strip_suffix(unit)).unwrap_or(setting)
}

/// The Levenshtein distance, where a swap of two adjacent letters counts once.
fn distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_is_reported_with_the_right_name() {
        for (name, right) in [
            ("CIRCUIT_BREAKER_COOLDOWN_SECOND", "CIRCUIT_BREAKER_COOLDOWN_SECONDS"),
            ("CIRCUIT_BREAKER_COOLDOWN", "CIRCUIT_BREAKER_COOLDOWN_SECONDS"),
            ("CIRCUIT_BREAKER_COOLDOWN_MS", "CIRCUIT_BREAKER_COOLDOWN_SECONDS"),
            ("CIRCUIT_BREAKER_COOLDWON_SECONDS", "CIRCUIT_BREAKER_COOLDOWN_SECONDS"),
            ("CIRCUIT_BREAKER_FAILURE_TRESHOLD", "CIRCUIT_BREAKER_FAILURE_THRESHOLD"),
            ("CIRCUIT_BREAKER_FAILURES_THRESHOLD", "CIRCUIT_BREAKER_FAILURE_THRESHOLD"),
            ("CIRCUIT_BREAKER_HALF_OPEN_PROBE", "CIRCUIT_BREAKER_HALF_OPEN_PROBES"),
            ("CIRCUITBREAKER_FAILURE_THRESHOLD", "CIRCUIT_BREAKER_FAILURE_THRESHOLD"),
            ("CIRCUIT_BRAKER_COOLDOWN_SECONDS", "CIRCUIT_BREAKER_COOLDOWN_SECONDS"),
            ("CIRCUIT_BREAKER_FAILURE_RATE_WINDOW", "CIRCUIT_BREAKER_FAILURE_RATE_WINDOW_SECONDS"),
        ] {
            let error = check([name.to_owned()].into_iter()).unwrap_err();
            assert_eq!(error.to_string(), format!("`{name}` is set, but must be spelt `{right}`"));
            assert_eq!(error.setting(), name);
        }
        if !cfg!(windows) {
            assert!(meant("circuit_breaker_cooldown_seconds").is_some());
        }
    }

    #[test]
    fn correct_and_foreign_names_are_not_reported() {
        let others = [
            "CIRCUIT_BREAKER_ENABLED",
            "CIRCUIT_BREAKER_TIMEOUT",
            "CIRCUIT_BREAKER_FAILURE_RATE_THRESHOLD",
            "CIRCUIT_BREAKER_",
            "CIRCUIT_BREAKER",
            "CIRCUIT_BREAKERS_COOLDOWN",
            "COOLDOWN_SECONDS",
            "PATH",
        ];
        assert_eq!(check(env::names().chain(others).map(str::to_owned)), Ok(()));
    }
}
