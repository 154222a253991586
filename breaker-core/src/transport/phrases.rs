//! Phrases of transport faults in error texts, for errors of unknown type.

use std::convert::Infallible;

use crate::evidence::Fault;
use crate::evidence::error_chain::{Dyn, text_of};

/// Phrases of a timeout.
const TIMEOUT: [&[&str]; 2] = [&["timeout"], &["timed", "out"]];

/// Phrases of a connection that could not be made, or that broke.
const CONNECTION: [&[&str]; 10] = [
    &["connection", "refused"],
    &["connection", "reset"],
    &["connection", "aborted"],
    &["broken", "pipe"],
    &["could", "not", "resolve", "host"],
    // The message of the standard library for a name that does not resolve.
    &["failed", "to", "lookup", "address"],
    &["failed", "to", "connect"],
    &["network", "is", "unreachable"],
    &["ssl"],
    &["tls"],
];

/// Whether the name of a type contains a phrase.
pub(super) fn are_in_type(name: &str) -> bool {
    Words::of_types([Some(name), None]).fault() != Fault::Other
}

/// The phrases in the names of types and in messages.
#[derive(Default)]
pub(super) struct Words {
    timeout: bool,
    connection: bool,
}

impl Words {
    pub(super) fn of_types(names: [Option<&str>; 2]) -> Self {
        let mut words = Self::default();
        for name in names.into_iter().flatten() {
            words.add(&words_of_type(name));
        }
        words
    }

    pub(super) fn add_message(&mut self, message: &str) {
        self.add(&words_of(message));
    }

    /// Adds the message of an error during a walk, which it lets go on.
    pub(super) fn add_messages_from(&mut self, error: &Dyn) -> Option<Infallible> {
        self.add_message(&text_of(error));
        None
    }

    /// Returns the fault that the phrases indicate.
    pub(super) fn fault(&self) -> Fault {
        match (self.timeout, self.connection) {
            (true, true) => Fault::ConnectTimeout,
            (true, false) => Fault::Timeout,
            (false, true) => Fault::Connection,
            (false, false) => Fault::Other,
        }
    }

    fn add(&mut self, words: &[String]) {
        self.timeout |= TIMEOUT.iter().any(|phrase| contains(words, phrase));
        self.connection |= CONNECTION.iter().any(|phrase| contains(words, phrase));
    }
}

fn contains(words: &[String], phrase: &[&str]) -> bool {
    words.windows(phrase.len()).any(|window| window == phrase)
}

/// Splits a message into lower-case words, at each character that is neither a letter nor a digit.
fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Prefixes of the names of pointers, which are named like the type that they point to.
const POINTERS: [&str; 5] = ["&", "alloc::boxed::Box<", "alloc::rc::Rc<", "alloc::sync::Arc<", "core::option::Option<"];

/// Splits a type name into lower-case words, without its path and parameters, because a module `tls` contains other
/// errors too.
fn words_of_type(name: &str) -> Vec<String> {
    let mut name = name;
    while let Some(pointee) = POINTERS.iter().find_map(|pointer| name.strip_prefix(pointer)) {
        name = pointee;
    }
    let outer = name.split(['<', '>']).next().unwrap_or(name);
    let name = outer.rsplit("::").next().unwrap_or(outer);
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut before = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let begins_word = letter.is_uppercase()
            && (before.is_some_and(|before: char| !before.is_uppercase())
                // The last of several capitals begins a new word: `TLSError`.
                || letters.peek().is_some_and(|next| next.is_lowercase()));
        if begins_word {
            spaced.push(' ');
        }
        spaced.push(letter);
        before = Some(letter);
    }
    words_of(&spaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_message(message: &str) -> Option<Fault> {
        of_messages(&[message])
    }

    fn of_messages(messages: &[&str]) -> Option<Fault> {
        let mut words = Words::default();
        for message in messages {
            words.add_message(message);
        }
        Some(words.fault()).filter(|fault| *fault != Fault::Other)
    }

    fn of_type(name: &str) -> Option<Fault> {
        Some(Words::of_types([Some(name), None]).fault()).filter(|fault| *fault != Fault::Other)
    }

    #[test]
    fn whole_words_count_in_either_case() {
        for message in ["Timeout", "request TIMEOUT after 5s", "it timed out", "timed-out", "(timed\nout)"] {
            assert_eq!(of_message(message), Some(Fault::Timeout), "{message}");
        }
        for message in [
            "Connection refused (os error 111)",
            "curl: (6) Could not resolve host: shop.example",
            "Failed to connect to shop.example port 443",
            "Network is unreachable",
            "SSL_ERROR_SYSCALL",
            "bad TLS record",
        ] {
            assert_eq!(of_message(message), Some(Fault::Connection), "{message}");
        }
        assert_eq!(of_message("failed to connect: timed out"), Some(Fault::ConnectTimeout));
    }

    #[test]
    fn parts_of_words_and_incomplete_phrases_do_not_count() {
        // Each case fails when a phrase is searched for as plain text.
        for message in [
            "lossless compression is off",
            "too many timeouts are configured",
            "the bottleneck was rustls-free; titles differ",
            "connection was not refused",
            "timed it, then went out",
            "untimed outing",
            "card declined",
            "",
        ] {
            assert_eq!(of_message(message), None, "{message}");
        }
        assert_eq!(of_messages(&["it timed", "out of stock"]), None);
    }

    #[test]
    fn a_pointer_is_named_like_its_target() {
        struct ReadTimeout;
        for name in [
            std::any::type_name::<Box<ReadTimeout>>(),
            std::any::type_name::<std::sync::Arc<Box<ReadTimeout>>>(),
            std::any::type_name::<Option<std::rc::Rc<&ReadTimeout>>>(),
        ] {
            assert_eq!(of_type(name), Some(Fault::Timeout), "{name}");
        }
        assert_eq!(of_type(std::any::type_name::<Vec<ReadTimeout>>()), None);
    }

    #[test]
    fn capitals_separate_the_words_of_a_type_name() {
        for name in ["shop::ConnectTimeoutError", "Timeout", "shop::TimeoutError<u8>", "a::TimedOut"] {
            assert_eq!(of_type(name), Some(Fault::Timeout), "{name}");
        }
        for name in ["shop::TLSError", "TlsHandshake", "SSL", "net::SslError"] {
            assert_eq!(of_type(name), Some(Fault::Connection), "{name}");
        }
        for name in ["LosslessError", "shop::tls::CardDeclined", "Failed<timeout::Timeout>", "Timeouts", "HTTPError"] {
            assert_eq!(of_type(name), None, "{name}");
        }
    }
}
