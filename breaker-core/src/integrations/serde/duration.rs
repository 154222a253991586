//! Durations as text with a unit.

use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::duration_grammar::{WRITE, parse};

/// A duration such as `"30s"`, `"1.5s"` or `"1h 30m"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text(pub(super) Duration);

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
        f.write_str("a duration as text with a unit, such as \"30s\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
        parse(text).map(Text).map_err(E::custom)
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
    E::custom(format_args!("{number} has no unit: {WRITE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_durations_can_be_read_again() {
        for duration in [
            Duration::MAX,
            Duration::ZERO,
            Duration::from_millis(1_500),
            Duration::from_nanos(7),
            Duration::from_micros(9),
        ] {
            assert_eq!(parse(&Text(duration).to_string()), Ok(duration), "{}", Text(duration));
        }
    }
}
