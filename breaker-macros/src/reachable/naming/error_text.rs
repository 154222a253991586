//! Phrases of faults in the `#[error("...")]` text of an error.

use super::fault::FaultKind;
use super::split_words;

/// A phrase of a fault in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) text: String,
    pub(crate) fault: FaultKind,
}

/// The phrases that indicate a fault, as whole words.
const PHRASES: &[(&str, FaultKind)] = &[
    ("timeout", FaultKind::Timeout),
    ("timed out", FaultKind::Timeout),
    ("time out", FaultKind::Timeout),
    ("timing out", FaultKind::Timeout),
    ("took too long", FaultKind::Timeout),
    ("deadline exceeded", FaultKind::Timeout),
    ("etimedout", FaultKind::Timeout),
    ("connection refused", FaultKind::Connection),
    ("connection was refused", FaultKind::Connection),
    ("refused the connection", FaultKind::Connection),
    ("econnrefused", FaultKind::Connection),
    ("connection reset", FaultKind::Connection),
    ("connection aborted", FaultKind::Connection),
    ("connection closed", FaultKind::Connection),
    ("connection lost", FaultKind::Connection),
    ("connection error", FaultKind::Connection),
    ("econnreset", FaultKind::Connection),
    ("broken pipe", FaultKind::Connection),
    ("could not resolve host", FaultKind::Connection),
    ("resolve host", FaultKind::Connection),
    ("resolve the host", FaultKind::Connection),
    ("failed to lookup address", FaultKind::Connection),
    ("host not found", FaultKind::Connection),
    ("unknown host", FaultKind::Connection),
    ("dns failure", FaultKind::Connection),
    ("dns error", FaultKind::Connection),
    ("name resolution", FaultKind::Connection),
    ("failed to connect", FaultKind::Connection),
    ("could not connect", FaultKind::Connection),
    ("cannot connect", FaultKind::Connection),
    ("unable to connect", FaultKind::Connection),
    ("connect error", FaultKind::Connection),
    ("network is unreachable", FaultKind::Connection),
    ("network unreachable", FaultKind::Connection),
    ("host is unreachable", FaultKind::Connection),
    ("host unreachable", FaultKind::Connection),
    ("no route to host", FaultKind::Connection),
    ("ssl", FaultKind::Connection),
    ("tls", FaultKind::Connection),
    ("internal server error", FaultKind::Server),
    ("bad gateway", FaultKind::Server),
    ("service unavailable", FaultKind::Server),
    ("service is unavailable", FaultKind::Server),
    ("service temporarily unavailable", FaultKind::Server),
];

/// Words before a number that make it a status.
const BEFORE_A_STATUS: &[&str] = &["http", "status", "code", "error", "returned", "answered", "a"];

/// Returns the first phrase of a fault in `text`, unless the name of the variant contains it. The name has been judged
/// already, and `invalid session timeout {0}` does not mean a timeout in `InvalidSessionTimeout`.
pub(crate) fn fault_in(text: &str, name: &str) -> Option<Phrase> {
    let text = words_of(&without_placeholders(text));
    let name = words_of(name);
    PHRASES
        .iter()
        .map(|(phrase, fault)| (words_of(phrase), *fault))
        .find(|(phrase, _)| contains(&text, phrase) && !contains(&name, phrase))
        .map(|(phrase, fault)| Phrase { text: phrase.join(" "), fault })
        .or_else(|| status_in(&text))
}

/// Finds a 5xx: a number after a word such as `status`, or a text that is only a number.
fn status_in(text: &[String]) -> Option<Phrase> {
    text.iter().enumerate().find_map(|(at, word)| {
        let number: u16 = word.parse().ok()?;
        let is_status = match at {
            0 => text.len() == 1,
            _ => BEFORE_A_STATUS.contains(&text[at - 1].as_str()),
        };
        ((500..=599).contains(&number) && is_status).then(|| Phrase { text: word.clone(), fault: FaultKind::Server })
    })
}

/// The text without its `{placeholders}`.
fn without_placeholders(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    for current in text.replace("{{", " ").replace("}}", " ").chars() {
        match current {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(current),
            _ => {}
        }
        if depth > 0 && current == '{' {
            plain.push(' ');
        }
    }
    plain
}

fn words_of(text: &str) -> Vec<String> {
    text.split(|separator: char| !separator.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| if is_camel(word) { split_words::split(word) } else { vec![word.to_lowercase()] })
        .collect()
}

/// Whether a word in a text is an identifier, such as `ReadTimeout`.
fn is_camel(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase) && word.contains(char::is_lowercase)
}

fn contains(words: &[String], phrase: &[String]) -> bool {
    words.windows(phrase.len()).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::fault_in;

    fn phrase_in(text: &str, name: &str) -> Option<String> {
        fault_in(text, name).map(|phrase| phrase.text)
    }

    #[test]
    fn phrases_are_found_as_whole_words() {
        assert_eq!(phrase_in("request timed out after {0:?}", "NotFound").as_deref(), Some("timed out"));
        assert_eq!(phrase_in("Connection refused", "NotFound").as_deref(), Some("connection refused"));
        assert_eq!(phrase_in("HTTP 503 from the shop", "NotFound").as_deref(), Some("503"));
        assert_eq!(phrase_in("ReadTimeout of the shop", "NotFound").as_deref(), Some("timeout"));
        assert_eq!(phrase_in("os error ECONNREFUSED", "NotFound").as_deref(), Some("econnrefused"));
        for (text, phrase) in [
            ("the shop took too long", "took too long"),
            ("Could not connect to {0}", "could not connect"),
            ("the shop refused the connection", "refused the connection"),
            ("cannot resolve host {0}", "resolve host"),
            ("no route to host (os error 113)", "no route to host"),
            ("dns error: {0}", "dns error"),
            ("the service is unavailable", "service is unavailable"),
        ] {
            assert_eq!(phrase_in(text, "NotFound").as_deref(), Some(phrase), "{text}");
        }
        assert_eq!(phrase_in("no connection of that name", "NotFound"), None);
        assert_eq!(phrase_in("this item is unavailable", "NotFound"), None);
        assert_eq!(phrase_in("lossless", "NotFound"), None);
        assert_eq!(phrase_in("at most 500 items", "NotFound"), None);
    }

    #[test]
    fn placeholders_are_not_words() {
        assert_eq!(phrase_in("no setting {timeout}", "NotFound"), None);
        assert_eq!(phrase_in("{{timeout}}", "NotFound").as_deref(), Some("timeout"));
    }

    #[test]
    fn words_of_the_name_are_not_judged_again_in_the_text() {
        assert_eq!(phrase_in("session timeout {0} is invalid", "InvalidSessionTimeout"), None);
        assert_eq!(phrase_in("session timeout {0} is invalid", "InvalidSession").as_deref(), Some("timeout"));
    }
}
