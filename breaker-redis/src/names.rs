//! What a connection is called in keys and on the channel: harmless and bounded, whatever the connection is called.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// A longer name ends in a hash of the whole.
const LONGEST: usize = 200;
const HEX: usize = 40;

/// The connection's key, with everything percent-encoded but letters, digits, `.`, `_` and `-`.
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
        // A name is ASCII, so it may be cut anywhere; `~` is in no other.
        name.truncate(LONGEST - HEX - 1);
        name.push('~');
        name.push_str(&hash);
    }
    name
}

/// The connection behind a name, unless the name was too long to say.
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

/// The connections of this process whose names are too long to be read back.
#[derive(Debug, Default)]
pub(crate) struct LongNames(Mutex<HashMap<String, Arc<str>>>);

impl LongNames {
    /// The name of a connection, which can be found by it from now on.
    pub(crate) fn name_of(&self, connection: &Arc<str>) -> String {
        let name = encode(connection);
        if name.contains('~') {
            self.lock().entry(name.clone()).or_insert_with(|| connection.clone());
        }
        name
    }

    /// The connection of this name. `None` where it is too long, and none of this process.
    pub(crate) fn connection_of(&self, name: &str) -> Option<Arc<str>> {
        decode(name).map(Arc::from).or_else(|| self.lock().get(name).cloned())
    }

    /// Forgets what is not among these connections.
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
    fn every_name_is_harmless_and_can_be_read_back() {
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

    // Red when a long name is cut without a hash, or the hash is of what is left.
    #[test]
    fn a_long_name_is_bounded_and_still_its_own() {
        let long = |end: &str| Arc::from(format!("{}{end}", "ß".repeat(1_000)));
        let (one, two): (Arc<str>, Arc<str>) = (long("1"), long("2"));
        let names = LongNames::default();
        assert_eq!(names.connection_of(&encode(&one)), None, "never heard of");
        let (first, second) = (names.name_of(&one), names.name_of(&two));
        assert_eq!((first.len(), second.len()), (LONGEST, LONGEST));
        assert_ne!(first, second);
        assert_eq!(names.connection_of(&first), Some(one.clone()));
        names.keep_only(&[two]);
        assert_eq!(names.connection_of(&first), None);
        assert!(names.connection_of(&second).is_some());
    }

    #[test]
    fn a_name_of_just_the_longest_is_left_as_it_is() {
        let name = "x".repeat(LONGEST);
        assert_eq!(encode(&name), name);
        assert_ne!(encode(&"x".repeat(LONGEST + 1)).len(), LONGEST + 1);
    }
}
