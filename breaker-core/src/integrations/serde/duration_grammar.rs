//! The grammar of durations as text: numbers with units, each unit smaller than the one before.
//!
//! `breaker-core` and `breaker-macros` both contain this file, because a crate of macros can neither export functions nor
//! depend on the crate that exports its macros. A test compares the two.

use std::fmt;
use std::time::Duration;

/// The units in nanoseconds, largest first.
const UNITS: [(&str, u128); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// What to write instead of a text that is not a duration.
pub(crate) const WRITE: &str = "write a number and its unit, such as \"30s\", \"250ms\" or \"1m 30s\"";

/// The reason why a text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DurationError<'t> {
    WithoutUnit(&'t str),
    UnknownUnit(&'t str),
    NotADuration(&'t str),
    NotDescending(&'t str),
    TooLong(&'t str),
}

impl fmt::Display for DurationError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutUnit(number) => write!(f, "{number:?} has no unit: {WRITE}"),
            Self::UnknownUnit(unit) => {
                write!(f, "{unit:?} is not a unit of time: the units are ")?;
                for (place, (known, _)) in UNITS.iter().enumerate() {
                    let separator = ["", ", ", " and "][usize::from(place > 0) + usize::from(place + 1 == UNITS.len())];
                    write!(f, "{separator}\"{known}\"")?;
                }
                Ok(())
            }
            Self::NotADuration(text) => write!(f, "{text:?} is not a duration: {WRITE}"),
            Self::NotDescending(text) => {
                write!(f, "{text:?} is not a duration: write each unit once, the largest first")
            }
            Self::TooLong(text) => write!(f, "{text:?} is too long: the maximum is {} seconds", u64::MAX),
        }
    }
}

/// Reads a duration, rounded down to a nanosecond. Zero is a duration.
pub(crate) fn parse(text: &str) -> Result<Duration, DurationError<'_>> {
    let mut rest = text.trim();
    let mut nanoseconds = 0_u128;
    let mut smaller_than = u128::MAX;
    if rest.is_empty() {
        return Err(DurationError::NotADuration(text));
    }
    while !rest.is_empty() {
        let (number, after) = split(rest, |character| character.is_ascii_digit() || character == '.');
        let (name, after) = split(after.trim_start(), char::is_alphabetic);
        if !is_number(number) {
            return Err(DurationError::NotADuration(text));
        }
        if name.is_empty() {
            return Err(if after.is_empty() {
                DurationError::WithoutUnit(number)
            } else {
                DurationError::NotADuration(text)
            });
        }
        let Some((_, unit)) = UNITS.iter().find(|(unit, _)| *unit == name) else {
            return Err(DurationError::UnknownUnit(name));
        };
        if *unit >= smaller_than {
            return Err(DurationError::NotDescending(text));
        }
        smaller_than = *unit;
        let product = times(number, *unit).and_then(|product| nanoseconds.checked_add(product));
        nanoseconds = product.ok_or(DurationError::TooLong(text))?;
        rest = after.trim_start();
    }
    let seconds = u64::try_from(nanoseconds / 1_000_000_000).map_err(|_| DurationError::TooLong(text))?;
    let below = u32::try_from(nanoseconds % 1_000_000_000).map_err(|_| DurationError::TooLong(text))?;
    Ok(Duration::new(seconds, below))
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|character| !belongs(character)).unwrap_or(text.len()))
}

/// Whether it consists of digits, with digits on both sides of the point if there is one.
fn is_number(number: &str) -> bool {
    let mut parts = number.split('.');
    parts.clone().count() <= 2 && parts.all(|digits| !digits.is_empty())
}

/// Multiplies a decimal number by a unit. Digits of the fraction that are below a nanosecond in each unit have no effect.
fn times(number: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let fraction = &fraction[..fraction.len().min(20)];
    let whole = whole.parse::<u128>().ok()?.checked_mul(unit)?;
    let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    whole.checked_add(fraction.parse::<u128>().ok()?.checked_mul(unit)? / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_durations_as_in_the_table() {
        let table = include_str!("../../../../tests/facts/durations.tsv");
        let mut lines = 0;
        for (text, nanoseconds) in table.lines().skip(1).filter_map(|line| line.split_once('\t')) {
            lines += 1;
            assert_eq!(parse(text).ok(), nanoseconds.parse().ok().map(Duration::from_nanos), "{text:?}");
        }
        assert!(lines > 40, "only {lines} lines");
        assert_eq!(parse("18446744073709551615s 999999999ns"), Ok(Duration::MAX));
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        for (text, error) in [
            ("30", DurationError::WithoutUnit("30")),
            ("1m 30", DurationError::WithoutUnit("30")),
            ("30S", DurationError::UnknownUnit("S")),
            ("30 seconds", DurationError::UnknownUnit("seconds")),
            ("1e3s", DurationError::UnknownUnit("e")),
            ("5\u{b5}s", DurationError::UnknownUnit("\u{b5}s")),
            ("30m 1h", DurationError::NotDescending("30m 1h")),
            ("1s 1s", DurationError::NotDescending("1s 1s")),
            ("18446744073709551616s", DurationError::TooLong("18446744073709551616s")),
            ("-1s", DurationError::NotADuration("-1s")),
            ("\u{221e}s", DurationError::NotADuration("\u{221e}s")),
        ] {
            assert_eq!(parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_reason_says_what_to_write() {
        let reason = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            reason("30"),
            "\"30\" has no unit: write a number and its unit, such as \"30s\", \"250ms\" or \"1m 30s\""
        );
        assert_eq!(
            reason("30S"),
            "\"S\" is not a unit of time: the units are \"d\", \"h\", \"m\", \"s\", \"ms\", \"us\" and \"ns\""
        );
        assert_eq!(reason("1s 1m"), "\"1s 1m\" is not a duration: write each unit once, the largest first");
        assert!(reason("soon").starts_with("\"soon\" is not a duration: write a number"));
        assert!(reason("9999999999999999d").ends_with("is too long: the maximum is 18446744073709551615 seconds"));
    }
}
