//! The time limit of `timeout = "5s"`.

use syn::LitStr;

/// The units, in milliseconds.
const UNITS: &[(&str, u64)] = &[("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)];

/// The limit in milliseconds.
pub(super) fn milliseconds(literal: &LitStr) -> syn::Result<u64> {
    let text = literal.value();
    let unit = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = &text[..text.len() - unit.len()];
    let fail = |message: String| Err(syn::Error::new(literal.span(), message));
    if number.is_empty() {
        return fail(format!(
            "`{text}` is no time: write a whole number and its unit, such as `\"5s\"` or `\"250ms\"`"
        ));
    }
    let Some((_, factor)) = UNITS.iter().find(|(known, _)| *known == unit.trim_start()) else {
        let what =
            if unit.is_empty() { "has no unit".to_owned() } else { format!("has no unit that is known: `{unit}`") };
        return fail(format!("`{text}` {what}; the units are `ms`, `s`, `min` and `h`, as in `\"5s\"`"));
    };
    match number.parse::<u64>().ok().and_then(|number| number.checked_mul(*factor)) {
        Some(0) => fail("within no time at all no call can finish: give a longer `timeout`, or none".to_owned()),
        Some(milliseconds) => Ok(milliseconds),
        None => fail(format!("`{text}` is longer than any clock runs")),
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn read(text: &str) -> Option<u64> {
        milliseconds(&LitStr::new(text, Span::call_site())).ok()
    }

    #[test]
    fn a_whole_number_with_a_unit_is_a_limit() {
        assert_eq!(read("250ms"), Some(250));
        assert_eq!(read("5s"), Some(5_000));
        assert_eq!(read("2 min"), Some(120_000));
        assert_eq!(read("1h"), Some(3_600_000));
    }

    #[test]
    fn zero_and_nonsense_are_none() {
        for text in
            ["", "5", "0s", "00ms", "-5s", "1.5s", "s", "5 m", "5sec", "s5", "99999999999999999999h", "5s5", "\u{661}s"]
        {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
