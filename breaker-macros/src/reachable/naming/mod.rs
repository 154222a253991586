//! Judgement of the name of an error by its words.
//!
//! The last meaningful word leads: a `TimeoutNotFound` is a not-found, a `NotFoundTimeout` is a timeout. The meaning of
//! each word is in [`vocabulary`]; [`role_rules`] use only the roles of words.

pub(crate) mod error_text;
mod fault;
mod role;
mod role_rules;
mod split_compounds;
mod split_words;
mod vocabulary;

use super::http_status;

pub(crate) use fault::FaultKind;
use role::Role;
use role_rules::{head_fault, judge_roles, roles};

/// Whether a name may carry a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameVerdict {
    Freely,
    OnlyWithReason(NeedsReason),
    Never(Refusal),
}

/// Why a name needs a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeedsReason {
    Fault(FaultKind),
    /// Only the name of the type indicates a fault.
    FaultOfType(FaultKind),
    /// The name is that of an HTTP status.
    Status(u16),
    /// The name has only words without a meaning.
    Blank,
    /// A word in the name mixes letters of several alphabets, so that it only looks like another word.
    Disguised,
}

/// Why a name can never be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Timeout,
    /// The name is that of an HTTP status that can never be an answer.
    Status(u16),
}

/// Names that are the standard phrase of a status.
const PHRASES: &[(&str, u16)] = &[
    ("internal server", 500),
    ("insufficient storage", 507),
    ("network authentication required", 511),
    ("bad gateway", 502),
    ("service unavailable", 503),
    ("service not available", 503),
    ("service temporarily unavailable", 503),
    ("http version not supported", 505),
    ("variant also negotiates", 506),
    ("loop detected", 508),
    ("not extended", 510),
    ("misdirected request", 421),
    ("upgrade required", 426),
    ("request timeout", 408),
    ("request timed out", 408),
    ("too early", 425),
    ("bad request", 400),
    ("request body too large", 413),
    ("body too large", 413),
    ("content too large", 413),
];

/// Words that may be beside a number that is a status.
const AROUND_A_STATUS: &[&str] = &[
    "http", "https", "status", "code", "error", "err", "response", "server", "client", "s", "e", "got", "received",
    "returned", "answered", "gave", "is", "was", "a", "with",
];

/// Statuses of a failing server that are recognised by their number in any name: `Shop502`.
const KNOWN_BY_NUMBER: &[&str] = &["408", "429", "500", "502", "503", "504", "520", "521", "522", "523", "524"];

/// Words that make a number after them a quantity.
const BEFORE_A_QUANTITY: &[&str] = &[
    "max", "maximum", "min", "minimum", "limit", "limited", "than", "over", "above", "below", "under", "exceeds",
    "exceeded", "long", "short", "least", "most", "many", "few",
];

/// Words of a type with the errors of a database, which answers a wrong statement with a syntax error and a conflict
/// with a serialization failure.
const DATABASES: &[&str] = &["database", "db", "sql", "postgres", "pg", "mysql", "sqlite", "query", "statement"];

/// Judges a variant `name` of a type `type_name`, or a struct, where `name` is `None`.
///
/// A type whose own name is a fault makes each of its variants suspicious: a mark on `ConnectTimeoutError::NotFound`
/// needs a reason.
pub(crate) fn judge(type_name: &str, name: Option<&str>) -> NameVerdict {
    let Some(name) = name else {
        return judge_alone(type_name, false);
    };
    let of_database = words_of(type_name).iter().any(|word| DATABASES.contains(&word.as_str()));
    match judge_alone(name, of_database) {
        NameVerdict::Freely => match fault_of_type(type_name) {
            Some(fault) => NameVerdict::OnlyWithReason(NeedsReason::FaultOfType(fault)),
            None => NameVerdict::Freely,
        },
        verdict => verdict,
    }
}

/// Whether a word mixes ASCII letters with letters outside the Latin alphabets of Europe.
fn is_disguised(word: &str) -> bool {
    let is_foreign =
        |letter: char| letter.is_alphabetic() && !matches!(letter, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    word.contains(|letter: char| letter.is_ascii_alphabetic()) && word.contains(is_foreign)
}

/// Splits a name into its words, with or without separators.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    split_compounds::split(name, split_words::split(name))
}

fn judge_alone(name: &str, of_database: bool) -> NameVerdict {
    let words = words_of(name);
    if words.iter().any(|word| is_disguised(word)) {
        return NameVerdict::OnlyWithReason(NeedsReason::Disguised);
    }
    if let Some(verdict) = judge_number(&words).or_else(|| judge_phrase(&words)) {
        return verdict;
    }
    let roles = roles(&words);
    match judge_roles(&roles, of_database) {
        NameVerdict::Freely => head_fault(&roles, of_database)
            .map_or(NameVerdict::Freely, |fault| NameVerdict::OnlyWithReason(NeedsReason::Fault(fault))),
        verdict => verdict,
    }
}

/// The fault after which a type is named, if any: `TransportError`, but not `ServerError`, whose variants may be
/// answers of the server, and not `NetworkApiError`, which an API for managing networks may have.
pub(crate) fn fault_of_type(type_name: &str) -> Option<FaultKind> {
    let roles = roles(&words_of(type_name));
    let leading = roles.iter().rposition(|role| *role != Role::Filler)?;
    let of_thing = roles[..leading].iter().any(|role| matches!(role, Role::Thing | Role::Goods | Role::Party));
    match &roles[leading] {
        Role::Resource if !of_thing => Some(FaultKind::Connection),
        Role::Timeout => Some(FaultKind::Timeout),
        Role::Fault(fault) | Role::Definite(fault) | Role::Homonym(fault) => Some(*fault),
        Role::Format => Some(FaultKind::Malformed),
        _ => None,
    }
}

/// `Http503`, `Status404`, `_429`, `Http5xx`: a number among words that mean a status, or right after one of them
/// (`ShopHttp503`). At the end of other names it may be a status: `Shop502`, but not `Max500`.
fn judge_number(words: &[String]) -> Option<NameVerdict> {
    let (numbers, rest): (Vec<_>, Vec<_>) =
        words.iter().partition(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let [number] = numbers.as_slice() else {
        return None;
    };
    // Every 5xx is judged the same.
    let status = if *number == "5xx" { 505 } else { number.parse().ok()? };
    let class = http_status::class(status)?;
    if rest.iter().all(|word| AROUND_A_STATUS.contains(&word.as_str())) {
        return Some(verdict_of_status(status, class));
    }
    let at = words.iter().position(|word| word == *number)?;
    let (before, after) = (&words[..at], &words[at + 1..]);
    match before.last()?.as_str() {
        "http" | "https" | "status" => Some(verdict_of_status(status, class)),
        "code" if before.len() > 1 && matches!(&*before[before.len() - 2], "http" | "status" | "error") => {
            Some(verdict_of_status(status, class))
        }
        _ => {
            let is_quantity = BEFORE_A_QUANTITY.contains(&before[at - 1].as_str());
            let is_alone = roles(after).iter().all(|role| matches!(role, Role::Filler | Role::Complaint | Role::Blank));
            (is_alone && !is_quantity && KNOWN_BY_NUMBER.contains(&number.as_str()))
                .then_some(NameVerdict::OnlyWithReason(NeedsReason::Status(status)))
        }
    }
}

fn judge_phrase(words: &[String]) -> Option<NameVerdict> {
    let meaningful: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "http" | "error" | "err" | "exception" | "failure" | "status"))
        // A number beside the phrase (`HTTP_502_BAD_GATEWAY`) adds nothing.
        .filter(|word| !word.starts_with(|first: char| first.is_ascii_digit()))
        .collect();
    let (meaningful, whole) = (meaningful.join(" "), words.join(" "));
    let (_, status) = PHRASES.iter().find(|(phrase, _)| *phrase == meaningful || *phrase == whole)?;
    Some(verdict_of_status(*status, http_status::class(*status)?))
}

const fn verdict_of_status(status: u16, class: http_status::Class) -> NameVerdict {
    match class {
        http_status::Class::Freely => NameVerdict::Freely,
        http_status::Class::OnlyWithReason => NameVerdict::OnlyWithReason(NeedsReason::Status(status)),
        http_status::Class::Never => NameVerdict::Never(Refusal::Status(status)),
    }
}
