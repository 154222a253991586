//! Encoding of connection names for keys and messages: printable, unambiguous and bounded.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// A longer name ends with a hash of the whole name.
const LONGEST: usize = 200;
const HEX: usize = 40;

/// Percent-encodes everything except letters, digits, `.`, `_` and `-`.
pub(crate) fn encode(connection: &str) -> String {
    let mut name = String::with_capacity(connection.len());
    for &byte in connection.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    if name.len() > LONGEST {
        let hash = sha1_smol::Sha1::from(connection).digest().to_string();
        // An encoded name is ASCII, so it can be cut anywhere. Only cut names contain `~`, which is encoded elsewhere.
        name.truncate(LONGEST - HEX - 1);
        name.push('~');
        name.push_str(&hash);
    }
    name
}

/// Decodes a name, unless it was cut.
fn decode(name: &str) -> Option<String> {
    if name.contains('~') {
        return None;
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [byte, tail @ ..] = rest {
        rest = tail;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let [high, low, tail @ ..] = tail else { return None };
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit(*high)? * 16 + digit(*low)?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

/// The connections of this process whose encoded names were cut, because those cannot be decoded.
#[derive(Debug, Default)]
pub(crate) struct LongNames(Mutex<HashMap<String, Arc<str>>>);

impl LongNames {
    /// Encodes the name of a connection and remembers it if it was cut.
    pub(crate) fn name_of(&self, connection: &Arc<str>) -> String {
        let name = encode(connection);
        if name.contains('~') {
            self.lock().entry(name.clone()).or_insert_with(|| connection.clone());
        }
        name
    }

    /// Returns the connection of an encoded name. `None` where the name was cut and this process does not know it.
    pub(crate) fn connection_of(&self, name: &str) -> Option<Arc<str>> {
        decode(name).map(Arc::from).or_else(|| self.lock().get(name).cloned())
    }

    /// Removes all connections but these.
    pub(crate) fn keep_only(&self, connections: &[Arc<str>]) {
        let mut names = self.lock();
        if !names.is_empty() {
            let present: std::collections::HashSet<_> = connections.iter().collect();
            names.retain(|_, connection| present.contains(connection));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_names_are_safe_and_can_be_decoded() {
        for connection in ["shop-7", "", "crm:7", "a b\r\nFLUSHALL", "{x}", "größe", "%41", "~", "1.5_x"] {
            let name = encode(connection);
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-%".contains(&byte)), "{name}");
            assert_eq!(decode(&name).as_deref(), Some(connection), "{name}");
        }
        assert_eq!(encode("crm:7"), "crm%3A7");
        assert_eq!(decode("%4"), None);
        assert_eq!(decode("%zz"), None);
        assert_eq!(decode("%FF"), None, "no text");
    }

    // Fails when a long name is cut without a hash, or the hash covers only the rest.
    #[test]
    fn a_long_name_is_shortened_and_stays_unique() {
        let long = |end: &str| Arc::from(format!("{}{end}", "ß".repeat(1_000)));
        let (one, two): (Arc<str>, Arc<str>) = (long("1"), long("2"));
        let names = LongNames::default();
        assert_eq!(names.connection_of(&encode(&one)), None, "not encoded here");
        let (first, second) = (names.name_of(&one), names.name_of(&two));
        assert_eq!((first.len(), second.len()), (LONGEST, LONGEST));
        assert_ne!(first, second);
        assert_eq!(names.connection_of(&first), Some(one.clone()));
        names.keep_only(&[two]);
        assert_eq!(names.connection_of(&first), None);
        assert!(names.connection_of(&second).is_some());
    }

    #[test]
    fn a_name_of_exactly_the_maximum_length_is_not_shortened() {
        let name = "x".repeat(LONGEST);
        assert_eq!(encode(&name), name);
        assert_ne!(encode(&"x".repeat(LONGEST + 1)).len(), LONGEST + 1);
    }
}
