//! Phrases of transport faults in error texts, for errors of unknown type.

use crate::evidence::Fault;

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

/// Returns the fault that the words of a type name and of messages indicate; `None` where no phrase matches.
pub(super) fn classify(type_name: Option<&str>, messages: impl Iterator<Item = String>) -> Option<Fault> {
    let mut matched = Matched::default();
    if let Some(name) = type_name {
        matched.add(&words_of_type(name));
    }
    for message in messages {
        matched.add(&words_of(&message));
    }
    match matched {
        Matched { timeout: true, connection: true } => Some(Fault::ConnectTimeout),
        Matched { timeout: true, connection: false } => Some(Fault::Timeout),
        Matched { timeout: false, connection: true } => Some(Fault::Connection),
        Matched { timeout: false, connection: false } => None,
    }
}

#[derive(Default)]
struct Matched {
    timeout: bool,
    connection: bool,
}

impl Matched {
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

/// Splits a type name into lower-case words, without its path and parameters, because a module `tls` contains other
/// errors too.
fn words_of_type(name: &str) -> Vec<String> {
    let outer = name.split('<').next().unwrap_or(name);
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
        classify(None, [message.to_owned()].into_iter())
    }

    fn of_type(name: &str) -> Option<Fault> {
        classify(Some(name), [].into_iter())
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
        assert_eq!(classify(None, ["it timed".to_owned(), "out of stock".to_owned()].into_iter()), None);
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
