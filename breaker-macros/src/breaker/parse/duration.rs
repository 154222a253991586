//! Parsing of durations in `timeout = "5s"`: numbers with units, each unit smaller than the one before, as in settings.

use syn::LitStr;

/// The units in nanoseconds, largest first.
const UNITS: &[(&str, u64)] = &[
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

const EXAMPLES: &str = "write a number and its unit, for example `\"5s\"`, `\"250ms\"` or `\"1m 30s\"`";

/// Returns the duration in nanoseconds.
pub(crate) fn nanoseconds(literal: &LitStr) -> syn::Result<u64> {
    let text = literal.value();
    let message = match read(&text) {
        Ok(0) => "a `timeout` of zero leaves no time for a call: write a longer one, or remove it".to_owned(),
        Ok(nanoseconds) => return Ok(nanoseconds),
        Err(DurationError::WithoutUnit) => format!("`{text}` has no unit: {EXAMPLES}"),
        Err(DurationError::UnknownUnit(unit)) => {
            format!("`{unit}` is not a unit of time: the units are `d`, `h`, `m`, `s`, `ms`, `us` and `ns`")
        }
        Err(DurationError::NotADuration) => format!("`{text}` is not a duration: {EXAMPLES}"),
        Err(DurationError::TooLong) => format!("`{text}` is too long: the maximum is 584 years"),
    };
    Err(syn::Error::new(literal.span(), message))
}

#[derive(Debug, PartialEq, Eq)]
enum DurationError<'t> {
    WithoutUnit,
    UnknownUnit(&'t str),
    NotADuration,
    TooLong,
}

fn read(text: &str) -> Result<u64, DurationError<'_>> {
    let mut units = UNITS.iter();
    let mut total = 0_u64;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(DurationError::NotADuration);
    }
    while !rest.is_empty() {
        let (number, after) = split(rest, |character| character.is_ascii_digit() || character == '.');
        let (unit, after) = split(after.trim_start(), char::is_alphabetic);
        if number.is_empty() {
            return Err(DurationError::NotADuration);
        }
        if unit.is_empty() {
            return Err(if after.is_empty() { DurationError::WithoutUnit } else { DurationError::NotADuration });
        }
        if !UNITS.iter().any(|(known, _)| *known == unit) {
            return Err(DurationError::UnknownUnit(unit));
        }
        // The units before it are used up, so that units are in order.
        let (_, factor) = units.find(|(known, _)| *known == unit).ok_or(DurationError::NotADuration)?;
        total = total.checked_add(times(number, *factor)?).ok_or(DurationError::TooLong)?;
        rest = after.trim_start();
    }
    Ok(total)
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|character| !belongs(character)).unwrap_or(text.len()))
}

/// Multiplies a decimal number by a unit, rounded down to a nanosecond.
fn times(number: &str, unit: u64) -> Result<u64, DurationError<'_>> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return Err(DurationError::NotADuration);
    }
    let product = || {
        let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
        let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let fraction = fraction.parse::<u128>().ok()?.checked_mul(u128::from(unit))? / scale;
        whole.checked_add(u64::try_from(fraction).ok()?)
    };
    product().ok_or(DurationError::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same texts as in configuration files, whose parser has a test over the same table.
    #[test]
    fn texts_are_durations_as_in_the_table() {
        let table = include_str!("../../../../tests/facts/durations.tsv");
        for (text, nanoseconds) in table.lines().skip(1).filter_map(|line| line.split_once('\t')) {
            assert_eq!(read(text).ok(), nanoseconds.parse().ok(), "{text:?}");
        }
    }

    #[test]
    fn a_refusal_says_why() {
        assert_eq!(read("5"), Err(DurationError::WithoutUnit));
        assert_eq!(read("5sec"), Err(DurationError::UnknownUnit("sec")));
        assert_eq!(read("99999999999999999999h"), Err(DurationError::TooLong));
        assert_eq!(read("1s 1m"), Err(DurationError::NotADuration));
    }
}
