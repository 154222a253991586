//! Keys: different connections have different keys, and texts show a key on one line.

use std::collections::HashMap;

use crate::common::test_bed;
use breaker_core::{Connection, Key, Registry};
use proptest::collection::vec;
use proptest::prelude::*;

/// A connection as nested pairs and triples of texts.
#[derive(Clone, Debug, PartialEq)]
enum Parts {
    Text(String),
    Pair(Box<[Parts; 2]>),
    Triple(Box<[Parts; 3]>),
}

impl Connection for Parts {
    fn key(&self) -> Key<'_> {
        match self {
            Self::Text(text) => text.key(),
            Self::Pair(parts) => Key::from((parts[0].key(), parts[1].key())),
            Self::Triple(parts) => Key::from((parts[0].key(), parts[1].key(), parts[2].key())),
        }
    }
}

/// Few characters, so that the separators and escapes of a key occur often and texts are often equal.
fn parts() -> impl Strategy<Value = Parts> {
    let text = vec(prop_oneof![Just('a'), Just(':'), Just('\\'), Just('('), Just(')')], 0..4);
    let leaf = text.prop_map(|text| Parts::Text(text.into_iter().collect()));
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            [inner.clone(), inner.clone()].prop_map(|parts| Parts::Pair(Box::new(parts))),
            [inner.clone(), inner.clone(), inner].prop_map(|parts| Parts::Triple(Box::new(parts))),
        ]
    })
}

// Fails if a separator inside a part is not escaped, or if a nested pair is written like the text of its key.
proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn different_pairs_and_triples_have_different_keys(all in vec(parts(), 200)) {
        let mut seen = HashMap::new();
        // A single text is the key that it spells, which may be that of a pair.
        for parts in all.iter().filter(|parts| !matches!(parts, Parts::Text(_))) {
            if let Some(other) = seen.insert(parts.key().into_owned(), parts) {
                prop_assert_eq!(other, parts, "they share the key `{}`", parts.key());
            }
        }
    }
}

// Fails if the search for separators, or the copy of a part, skips a byte of parts of some length.
#[test]
fn parts_of_every_length_are_written_and_escaped() {
    let escaped = |text: &str| text.replace('\\', r"\\").replace(':', r"\:");
    for len in 0..60 {
        let plain: String = ('a'..='z').chain('A'..='Z').cycle().take(len).collect();
        let with_separators = (0..len).flat_map(|index| {
            [':', '\\'].map(|separator| {
                let mut text = plain.clone();
                text.replace_range(index..=index, &separator.to_string());
                text
            })
        });
        for text in with_separators.chain([plain.clone()]) {
            let text = text.as_str();
            let expected = escaped(text);
            assert_eq!(Key::from((text, 7)), format!("{expected}:7").as_str());
            assert_eq!(Key::from((7, text)), format!("7:{expected}").as_str());
            assert_eq!((text, "x", text).key(), format!("{expected}:x:{expected}").as_str());
        }
    }
}

// Fails if a number is written in another way than as text, alone or as a part.
#[test]
fn numbers_of_every_length_are_written_like_their_text() {
    let powers = (0..20).map(|exponent| 10_u64.pow(exponent));
    for number in powers.flat_map(|power| [power - 1, power, power + 7, power.wrapping_mul(9)]).chain([u64::MAX]) {
        let text = number.to_string();
        assert_eq!(Key::from(number), text.as_str());
        assert_eq!(Key::from(u128::from(number)), text.as_str());
        assert_eq!(Key::from(u128::MAX - u128::from(number)), (u128::MAX - u128::from(number)).to_string().as_str());
        assert_eq!(Key::from(("crm", number)), format!("crm:{number}").as_str());
        assert_eq!((number, number, number).key(), format!("{number}:{number}:{number}").as_str());
        assert_eq!((number, "a:b").key(), format!(r"{number}:a\:b").as_str());
        let Ok(signed) = i64::try_from(number) else { continue };
        for signed in [signed, -signed, i64::MIN + signed] {
            assert_eq!(Key::from(signed), signed.to_string().as_str());
            assert_eq!(Key::from((signed, signed)), format!("{signed}:{signed}").as_str());
            assert_eq!(Key::from(("crm", i128::from(signed))), format!("crm:{signed}").as_str());
        }
    }
}

#[test]
fn a_nested_pair_is_not_the_text_of_its_key() {
    let pair = ("a", "b");
    let keys = [
        Key::from((pair, "c")),
        Key::from(("a", ("b", "c"))),
        Key::from(("a", "b", "c")),
        Key::from(("a:b", "c")),
        Key::from(("a", "b:c")),
        Key::from((r"\(a:b\)", "c")),
    ];
    let texts = keys.each_ref().map(Key::as_str);
    assert_eq!(texts, [r"\(a:b\):c", r"a:\(b:c\)", "a:b:c", r"a\:b:c", r"a:b\:c", r"\\(a\:b\\):c"]);
    // A key keeps its shape, however it is passed on.
    let key = pair.key();
    for key in [&key, &key.clone().into_owned()] {
        assert_eq!((key, "c").key(), texts[0]);
        assert_eq!(Key::from((key.clone(), "c")), texts[0]);
    }
    let long = "x".repeat(100);
    assert_eq!(((long.as_str(), 7), "c").key(), format!(r"\({long}:7\):c").as_str());
    // A text is the key that it spells.
    let bed = test_bed(|config| config);
    assert_eq!(bed.registry.circuit("a:b"), bed.registry.circuit(&pair));
    assert_ne!(bed.registry.circuit(&(pair, "c")), bed.registry.circuit(&("a:b", "c")));
}

// Fails if a text contains a name as it is. A key often contains input of others, which could forge lines of a log.
#[test]
fn texts_are_one_line_whatever_the_names_contain() {
    let key = "shop\n2026-01-01 WARN circuit `crm` opened\r\u{1b}[2K\u{202e}\u{2028}";
    let bed = test_bed(|config| config);
    let circuit = bed.registry.circuit(key);
    circuit.hold_open();
    let open = circuit.try_acquire().unwrap_err();
    let event = bed.events.of(key).remove(0);
    let registry: &Registry = &bed.registry;
    let texts = [
        open.to_string(),
        event.to_string(),
        format!("{open:?} {event:?} {circuit:?} {:?} {registry:?}", circuit.snapshot()),
        std::panic::catch_unwind(|| bed.events.assert_none(key))
            .unwrap_err()
            .downcast_ref::<String>()
            .unwrap()
            .replace("\n  ", ""),
    ];
    for text in texts {
        let breaks = |c: char| c.is_control() || matches!(c, '\u{202e}' | '\u{2028}');
        assert!(!text.contains(breaks), "{text:?}");
        // `Debug` quotes a name in other quotes.
        let name = text.replace(r"\`", "`");
        assert!(name.contains(r"shop\n2026-01-01 WARN circuit `crm` opened\r\u{1b}[2K\u{202e}\u{2028}"), "{text}");
    }
    assert!(open.to_string().contains(r"circuit \`crm\` opened"), "a name must not end its quotes: {open}");
    assert_eq!((open.connection(), event.connection.as_str()), (key, key), "only texts are escaped");
}
