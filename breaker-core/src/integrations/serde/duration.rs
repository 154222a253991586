//! Durations as text with a unit.

use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// A duration such as `"30s"`, `"1.5s"` or `"1h 30m"`: numbers with units, each unit smaller than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text(pub(super) Duration);

const EXPECTED: &str = "a duration with units, such as \"30s\", \"250ms\" or \"1h 30m\"";

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

fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut nanos = 0_u128;
    let mut smaller_than = u128::MAX;
    while !rest.is_empty() {
        let (number, after) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (name, after) = split(after.trim_start(), char::is_alphabetic);
        let (_, unit) = *UNITS.iter().find(|(unit, _)| *unit == name)?;
        if unit >= smaller_than {
            return None;
        }
        smaller_than = unit;
        nanos = nanos.checked_add(times(number, unit)?)?;
        rest = after.trim_start();
    }
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    let below = u32::try_from(nanos % 1_000_000_000).ok()?;
    // An empty text is not a duration.
    (smaller_than != u128::MAX).then(|| Duration::new(seconds, below))
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// Multiplies a decimal number by a unit, exactly and rounded down to a nanosecond.
fn times(number: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let whole = whole.parse::<u128>().ok()?.checked_mul(unit)?;
    let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let fraction = fraction.parse::<u128>().ok()?.checked_mul(unit)? / scale;
    whole.checked_add(fraction)
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.as_secs(), self.0.subsec_nanos()) {
            (seconds, 0) => write!(f, "{seconds}s"),
            (0, nanos) => below_a_second(f, nanos),
            (seconds, nanos) => {
                write!(f, "{seconds}s ")?;
                below_a_second(f, nanos)
            }
        }
    }
}

fn below_a_second(f: &mut fmt::Formatter<'_>, nanos: u32) -> fmt::Result {
    match nanos {
        nanos if nanos % 1_000_000 == 0 => write!(f, "{}ms", nanos / 1_000_000),
        nanos if nanos % 1_000 == 0 => write!(f, "{}us", nanos / 1_000),
        nanos => write!(f, "{nanos}ns"),
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
        parse(text).map(Text).ok_or_else(|| E::custom(format_args!("{text:?} is not {EXPECTED}")))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Text, E> {
        Err(without_unit(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Text, E> {
        Err(without_unit(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Text, E> {
        Err(without_unit(number))
    }
}

fn without_unit<E: de::Error>(number: impl fmt::Display) -> E {
    E::custom(format_args!("{number} has no unit: write {EXPECTED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same texts as in the attribute's `timeout`, whose parser has a test over the same table.
    #[test]
    fn texts_are_durations_as_in_the_table() {
        let table = include_str!("../../../../tests/facts/durations.tsv");
        for (text, nanoseconds) in table.lines().skip(1).filter_map(|line| line.split_once('\t')) {
            assert_eq!(parse(text), nanoseconds.parse().ok().map(Duration::from_nanos), "{text:?}");
        }
    }

    #[test]
    fn written_durations_can_be_read_again() {
        for duration in [
            Duration::MAX,
            Duration::ZERO,
            Duration::from_millis(1_500),
            Duration::from_nanos(7),
            Duration::from_micros(9),
        ] {
            assert_eq!(parse(&Text(duration).to_string()), Some(duration), "{}", Text(duration));
        }
    }
}
