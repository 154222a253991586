//! Phrases of faults in the `#[error("...")]` text of an error.

use std::sync::LazyLock;

use super::super::http_status::{self, Class};
use super::fault::FaultKind;
use super::role::Role;
use super::role_rules::{judge_roles, roles};
use super::{NameVerdict, NeedsReason, split_words};

/// A phrase of a fault in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) text: String,
    pub(crate) fault: FaultKind,
}

use FaultKind::{Connection, Malformed, RateLimit, Server, Timeout};

/// A phrase of [`PHRASES`], read once, because each text is compared with all of them.
struct Pattern {
    fault: FaultKind,
    /// Whether the phrase is ignored in a text about [`OTHERS`].
    is_excused_by_others: bool,
    parts: Vec<Part>,
}

enum Part {
    Beginning,
    End,
    OtherWords,
    LinkingWords,
    OneOf(Words),
}

impl Pattern {
    fn read(fault: FaultKind, phrase: &'static str) -> Self {
        let excused = phrase.strip_prefix('!');
        let parts = excused.unwrap_or(phrase).split(' ').map(|part| match part {
            "^" => Part::Beginning,
            "." => Part::End,
            ".." => Part::OtherWords,
            "~" => Part::LinkingWords,
            words => Part::OneOf(Words::read(words)),
        });
        Self { fault, is_excused_by_others: excused.is_some(), parts: parts.collect() }
    }
}

/// Words in the notation of [`PHRASES`].
#[derive(Default)]
struct Words {
    whole: Vec<&'static str>,
    beginnings: Vec<&'static str>,
}

impl Words {
    fn read(words: &'static str) -> Self {
        let mut read = Self::default();
        read.add(words);
        read
    }

    fn add(&mut self, words: &'static str) {
        for word in words.split('|') {
            match (word.strip_prefix('$'), word.strip_suffix('*')) {
                (Some(name), _) => self.add(words_named(name)),
                (_, Some(beginning)) => self.beginnings.push(beginning),
                _ => self.whole.push(word),
            }
        }
    }

    fn contain(&self, word: &str) -> bool {
        self.whole.contains(&word) || self.beginnings.iter().any(|beginning| word.starts_with(beginning))
    }
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let of_fault = |(fault, phrases): &(FaultKind, &'static [&'static str])| {
        let fault = *fault;
        phrases.iter().map(move |phrase| Pattern::read(fault, phrase))
    };
    PHRASES.iter().flat_map(of_fault).collect()
});

/// The phrases of each fault.
///
/// A phrase is a row of words. `a|b` matches either word, `a*` a word that begins with `a`, and `$NAME` one of the words in the
/// list of that name. `~` matches any number of words that only link others, such as `was` or `the`. `^` and `.` match
/// the beginning and the end of the text, and `..` one to four other words. A phrase after `!` is ignored in a text about [`OTHERS`].
const PHRASES: &[(FaultKind, &[&str])] = &[
    (
        Timeout,
        &[
            "timeout|timeouts|etimedout",
            "time|timed|times|timing out",
            "took too long ~ .",
            "took too long to respond|reply|answer|connect",
            "$system took too long",
            "took longer than ~ .",
            "waited ~ long for ~ $system",
            "deadline ~ exceeded|elapsed",
        ],
    ),
    (
        Connection,
        &[
            "$link ~ refused|reset|closed|lost|aborted|dropped|terminated|broken|interrupted|severed|failed|failure|error|errors",
            "!$link to .. $lost|closed|failed|broken|interrupted",
            "cannot|not|unable|failed ~ contact ~ $system",
            "cannot|not contact .",
            "unable|failed to contact .",
            "contact with|to ~ $system ~ lost",
            "lost ~ contact",
            "$remote ~ gone|went away",
            "stream|streams ~ reset",
            "$link attempt ~ failed",
            "cannot|not|unable|failed|failure|error ~ establish|establishing ~ $link",
            "$lost ~ $link",
            "closed|lost|dropped|reset|aborted|terminated unexpectedly|abnormally|prematurely",
            "unexpectedly|abnormally|prematurely closed|lost|dropped|reset|aborted|terminated|disconnected",
            "disconnected from",
            "link ~ down|lost",
            "$remote ~ closed|reset|dropped|refused|aborted|terminated ~ $link",
            "closed|reset|aborted|dropped|terminated|disconnected|interrupted by ~ $remote",
            "hung up",
            "$remote ~ disconnected",
            "econnrefused|econnreset|econnaborted|ehostunreach|enetunreach|epipe",
            "broken pipe",
            "resolve ~ host|hostname|domain|address|addresses",
            "host|hostname ~ not resolved|resolve",
            "lookup|look ~ address|addresses",
            "host not found",
            "unknown host",
            "dns failure|error|lookup|resolution|timeout|server",
            "name resolution",
            "failed|unable|failure|error|trouble|problem to|while|when|in connect|connecting",
            "not connect",
            "trying|attempt|attempting to connect",
            "failed|unable|cannot|not|error ~ send|sending ~ request",
            "proxy|transport|socket|network|http error|failure",
            "cannot connect",
            "connect|connecting failed|error|failure",
            "network ~ unreachable|down|error|failure|problem|unavailable",
            "$system ~ unreachable",
            "$system ~ not ~ reachable",
            "^ unreachable .",
            "no route to host",
            "!cannot|not|unable|failed|failing|never ~ reach|reached ~ $system",
            "!cannot|not|unable|failed ~ reach .",
            "!$system ~ cannot|not ~ reached",
            "!$mute respond|reply|answer|responded|replied|answered|responding|replying|answering",
            "stopped responding|answering|replying",
            "!no|without response|reply|answer .",
            "!no|without ~ response|reply|answer|data|bytes ~ received|from|by ~ $system",
            "!no response|reply|answer was|received|arrived|came|in|within",
            "name or service not known",
            "io error|failure",
            "i o error|failure",
            "ssl",
            "tls",
            "handshake",
            "certificate verify|verification|validation",
            "^ ~ certificate ~ expired|untrusted|revoked",
            "self signed",
            "$remote ~ certificate",
        ],
    ),
    (
        Server,
        &[
            "internal ~ server error|failure|fault",
            "internal error|failure|fault",
            "server error|failure|fault",
            "bad gateway",
            "$remote ~ had|has|encountered|reported|hit ~ error|fault|failure",
            "temporarily|currently unable",
            "not ~ leader|primary|master",
            "database ~ locked",
            "deadlock|deadlocked",
            "$remote ~ failed .",
            "out of ~ memory|disk|space|resources|capacity",
            "no ~ capacity|memory|disk|workers ~ left|available",
            "!$system ~ unavailable|overloaded|down|busy|offline|restarting|restarted|starting|draining|crashed|crashing|failing|degraded|unhealthy|saturated|throttling",
            "!$remote ~ not|no|longer ~ available|ready|running|operational|healthy",
            "$remote ~ shutting|shut down",
            "$remote ~ under|in|undergoing ~ maintenance|load",
            "$remote ~ at|over|out|beyond ~ capacity",
            "^ ~ unavailable|busy|overloaded|overwhelmed|saturated|degraded ~ .",
            "temporarily|momentarily ~ down|offline",
            "too busy to",
            "^ ~ under|in|undergoing|for ~ load|maintenance ~ .",
            "down for maintenance",
            "$remote|provider|platform ~ having ~ problems|problem|trouble|issues|difficulties",
            "cannot|not|unable ~ serve|process|handle|accept ~ requests|calls|traffic",
            "peer|host|server|backend|upstream|broker|gateway ~ gone|vanished|missing .",
            "circuit breaker",
        ],
    ),
    (
        RateLimit,
        &[
            "request|requests|call|calls|api limit ~ exceeded|reached|hit",
            "too many ~ requests|calls|connections",
            "rate limit .",
            "requests|calls per|a second|minute|hour",
            "rate ~ limited|limiting",
            "rate limit|limits ~ exceeded|reached|hit|exhausted|for",
            "exceeded|reached|hit|over ~ rate limit|limits",
            "ratelimit|ratelimited",
            "throttled ~ .",
            "throttled by",
            "^ throttling .",
            "request|requests|call|calls|we|client ~ throttled",
            "slow down",
        ],
    ),
    (
        Malformed,
        &[
            "deserializ*|deserialis*|unmarshal*|undecodable|unparsable|unparseable",
            "$unread ~ $message|$format",
            "failed|unable|cannot|not|error ~ read|reading ~ $message",
            "missing .. in ~ response|reply",
            "!response ~ missing|lacks|lacked",
            "instead of $format",
            "$format error|errors|failure",
            "$damaged $message",
            "$damaged $format",
            "$message ~ $damaged",
            "response body ~ invalid|empty|missing",
            "response ~ invalid|unexpected|incomplete|empty|unreadable|unintelligible",
            "response ~ not|no ~ valid|$format|parsed|decoded|read|understood",
            "$remote ~ sent|returned ~ $damaged|invalid|unexpected",
            "invalid|unexpected|bad|incomplete|empty ~ response",
            "invalid|unexpected ~ reply .",
            "invalid|unexpected|bad ~ $format",
            "not ~ valid $format",
            "unexpected end of|eof",
            "unexpected status code",
            "unexpected status .",
            "unexpected eof",
            "protocol error|violation",
            "checksum mismatch",
        ],
    ),
];

/// The words of `$NAME` in a phrase.
fn words_named(name: &str) -> &'static str {
    match name {
        "link" => "connection|connections|socket|websocket|tcp",
        "lost" => "lost|losing|dropped|refused|reset",
        "remote" => {
            "server|servers|service|services|backend|host|peer|remote|side|end|gateway|upstream|api|endpoint|system|\
             database|cluster|node|broker|proxy|model|engine|worker|instance|queue"
        }
        // Systems by what they do. `closed by the shop` may be about an order.
        "system" => "$remote|shop|crm|erp|provider|platform|application|app|website",
        "mute" => "not|never|didnt|doesnt",
        "unread" => "pars*|decod*|decompress*|interpret|understand",
        "message" => "response|responses|reply|body|payload|message|packet|frame|stream",
        "damaged" => {
            "malformed|garbled|corrupt|corrupted|truncated|mangled|undecodable|unparsable|unparseable|unreadable"
        }
        "format" => "json|xml|html|yaml|utf8|utf|protobuf|msgpack|cbor",
        _ => "",
    }
}

/// Words that only link others.
static LINKING: LazyLock<Words> = LazyLock::new(|| {
    Words::read(
        "is|was|are|were|be|been|being|has|have|had|got|it|its|the|a|an|this|that|our|to|in|of|for|by|with|\
                       and|on|at|currently|temporarily|momentarily|right|moment|already|unexpectedly|suddenly|still|now|again|prematurely|s|could|\
                       can|as|seems|appears|too|very|heavy|high|http|remote|server|other|far|from|us|any|ms|seconds|second|minutes",
    )
});

static SYSTEMS: LazyLock<Words> = LazyLock::new(|| Words::read("$system"));

/// People and things of a business, for which a remote system may wait without a fault: "the customer did not answer".
static OTHERS: LazyLock<Words> = LazyLock::new(|| {
    Words::read(
        "customer|customers|user|users|buyer|seller|guest|recipient|owner|contact|member|applicant|invitee|\
                      holder|cardholder|patient|person|party|parties|driver|tenant|agent|subscriber|callee|caller|phone|\
                      invitation|question|survey|issuer|courier|applicants|your|you|their|his|her",
    )
});

/// Words before a number that make it a status.
static BEFORE_A_STATUS: LazyLock<Words> = LazyLock::new(|| {
    Words::read(
        "http|https|status|code|error|returned|returns|answered|answers|responded|sent|a|an|got|\
                               received|with",
    )
});

/// Words after a number at the beginning of a text that make it a status.
static AFTER_A_STATUS: LazyLock<Words> =
    LazyLock::new(|| Words::read("from|received|returned|response|error|status|answer"));

/// Returns the first phrase of a fault in `text`, unless the name of the variant contains it. The name has been judged
/// already, and `invalid session timeout {0}` does not mean a timeout in `InvalidSessionTimeout`.
pub(crate) fn fault_in(text: &str, name: &str) -> Option<Phrase> {
    let text = words_of(&without_placeholders(text));
    let name = words_of(name);
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let is_about_others = text.iter().any(|word| OTHERS.contain(word));
    PATTERNS
        .iter()
        .filter(|pattern| !(pattern.is_excused_by_others && is_about_others))
        .filter_map(|pattern| Some((pattern.fault, found_at(&text, &pattern.parts)?)))
        .find(|(_, found)| !is_in(found, &name))
        .map(|(fault, found)| Phrase { text: found.join(" "), fault })
        .or_else(|| status_in(&text))
        .or_else(|| short_fault(&text, &name))
}

/// The most words of a text that is judged like a name.
const LONGEST_NAME: usize = 6;

/// Judges a short text like a name, if all its words are about systems: `body is not JSON`. In a longer text the last word
/// does not lead, and a text with another word may be about that. A text that a system answered is not about a fault, and
/// [`PHRASES`] find that it did not answer.
fn short_fault(text: &[&str], name: &[String]) -> Option<Phrase> {
    let is_excused =
        |word: &&str| OTHERS.contain(word) || matches!(*word, "answered" | "answers" | "replied" | "responded");
    if !(2..=LONGEST_NAME).contains(&text.len()) || is_in(text, name) || text.iter().any(is_excused) {
        return None;
    }
    let is_name_of_system = |word: &str| SYSTEMS.contain(word) && roles(&[word.to_owned()]) == [Role::Thing];
    let is_meaningful = |word: &&&str| !matches!(**word, "the" | "a" | "an") && !is_name_of_system(word);
    let words: Vec<String> = text.iter().filter(is_meaningful).map(|word| (*word).to_owned()).collect();
    let roles = roles(&words);
    let is_of_system = |role: &Role| {
        matches!(
            role,
            Role::Fault(_)
                | Role::Definite(_)
                | Role::Final(_)
                | Role::Format
                | Role::Resource
                | Role::Homonym(_)
                | Role::System(_)
                | Role::Machinery
                | Role::Installation
        )
    };
    let is_subject = |role: &Role| matches!(role, Role::Thing | Role::Goods | Role::Party | Role::Answer);
    match judge_roles(&roles, false) {
        NameVerdict::OnlyWithReason(NeedsReason::Fault(fault))
            if roles.iter().any(is_of_system) && !roles.iter().any(is_subject) =>
        {
            Some(Phrase { text: text.join(" "), fault })
        }
        _ => None,
    }
}

/// Finds a status that is never an answer: a number after a word such as `status`, or first in a text about a message.
fn status_in(text: &[&str]) -> Option<Phrase> {
    text.iter().enumerate().find_map(|(at, word)| {
        let number: u16 = if *word == "5xx" { 500 } else { word.parse().ok()? };
        let is_version = |word: &&&str| word.len() == 1 || matches!(**word, "is" | "was");
        let is_status = match text[..at].iter().rev().find(|word| !is_version(word)) {
            Some(before) => BEFORE_A_STATUS.contain(before),
            None => text.get(at + 1).is_none_or(|after| AFTER_A_STATUS.contain(after)),
        };
        let is_never = number >= 400 && http_status::class(number) == Some(Class::Never);
        let fault = match number {
            408 => Timeout,
            420 | 429 => RateLimit,
            _ => Server,
        };
        (is_never && is_status).then(|| Phrase { text: (*word).to_owned(), fault })
    })
}

/// The words that match a phrase.
fn found_at<'a>(text: &'a [&'a str], parts: &[Part]) -> Option<&'a [&'a str]> {
    let (start, end) = (0..text.len()).find_map(|start| Some((start, matched(text, start, parts)?)))?;
    // `could not connect` instead of `not connect`, because a diagnostic quotes it.
    let is_denied = start > 0 && matches!(text[start], "not" | "never");
    Some(&text[start - usize::from(is_denied)..end])
}

/// The end of the words from `at` that match `parts`.
fn matched(text: &[&str], at: usize, parts: &[Part]) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    match part {
        Part::Beginning => (at == 0).then(|| matched(text, at, rest)).flatten(),
        Part::End => (at == text.len()).then_some(at),
        Part::OtherWords => (1..=4).find_map(|skipped| matched(text, at + skipped, rest)),
        Part::LinkingWords => matched(text, at, rest)
            .or_else(|| LINKING.contain(text.get(at)?).then(|| matched(text, at + 1, parts)).flatten()),
        Part::OneOf(words) => words.contain(text.get(at)?).then(|| matched(text, at + 1, rest)).flatten(),
    }
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
    // `didn't` is `did not`.
    text.replace('\u{2019}', "'")
        .replace("n't", " not")
        .split(|separator: char| !separator.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| if is_camel(word) { split_words::split(word) } else { vec![word.to_lowercase()] })
        .collect()
}

/// Whether a word in a text is an identifier, such as `ReadTimeout`.
fn is_camel(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase) && word.contains(char::is_lowercase)
}

/// Whether a name contains the words of a phrase, except those that only link others.
fn is_in(phrase: &[&str], name: &[String]) -> bool {
    phrase.iter().all(|word| LINKING.contain(word) || name.iter().any(|part| part == word))
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
