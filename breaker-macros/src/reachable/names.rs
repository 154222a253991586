//! What the name of an error says, judged by its words.
//!
//! The last meaningful word leads: a `TimeoutNotFound` is a not-found, a `NotFoundTimeout` a timeout. What each word
//! means stands in [`vocabulary`]; the rules here know roles only.

use super::vocabulary::{self, Role};
use super::{statuses, words};

/// What goes wrong between the caller and a usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Timeout,
    Connection,
    Server,
    Malformed,
}

impl Fault {
    /// The end of the sentence "this name speaks of ...".
    pub(crate) const fn explained(self) -> &'static str {
        match self {
            Self::Timeout => "a timeout, which says that nobody answered",
            Self::Connection => "a connection fault, which says that the remote system was not reached",
            Self::Server => "a fault or overload of the server, which is what the circuit is there to notice",
            Self::Malformed => "a malformed message, which says that no usable answer came back",
        }
    }
}

/// Whether a name may carry a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Freely,
    OnlyWithReason(Doubt),
    Never(Lie),
}

/// Why a name needs a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    Fault(Fault),
    /// Nothing but the name of the type speaks of a fault.
    FaultOfType(Fault),
    /// The name is that of an HTTP status.
    Status(u16),
    /// No word of the name tells anything.
    Blank,
}

/// Why no reason helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Timeout,
    /// The name is that of an HTTP status that proves nothing.
    Status(u16),
}

/// Names that are the standard phrase of a status.
const PHRASES: &[(&str, u16)] = &[
    ("internal server", 500),
    ("bad gateway", 502),
    ("service unavailable", 503),
    ("service not available", 503),
    ("service temporarily unavailable", 503),
    ("bad request", 400),
];

/// Words that may stand beside a number without making it anything but a status.
const AROUND_A_STATUS: &[&str] =
    &["http", "https", "status", "code", "error", "err", "response", "server", "client", "s", "e"];

/// The verdict on a variant called `name` of a type called `type_name`, or on a struct (`name` is `None`).
///
/// A type whose own name is a fault casts doubt on every variant: who marks `ConnectTimeoutError::NotFound` had better
/// say why.
pub(crate) fn judge(type_name: &str, name: Option<&str>) -> Verdict {
    let Some(name) = name else {
        return judge_alone(type_name);
    };
    match judge_alone(name) {
        Verdict::Freely => match fault_of_type(type_name) {
            Some(fault) => Verdict::OnlyWithReason(Doubt::FaultOfType(fault)),
            None => Verdict::Freely,
        },
        verdict => verdict,
    }
}

fn judge_alone(name: &str) -> Verdict {
    let words = words::split(name);
    if let Some(verdict) = judge_number(&words).or_else(|| judge_phrase(&words)) {
        return verdict;
    }
    judge_roles(&roles(&words))
}

/// The fault that a type is named after, if any: `TransportError`, but not `ServerError`, whose variants may well be
/// what the server says.
pub(crate) fn fault_of_type(type_name: &str) -> Option<Fault> {
    let roles = roles(&words::split(type_name));
    let leading = roles.iter().rev().find(|role| !matches!(role, Role::Filler | Role::Blank))?;
    match leading {
        Role::Fault(fault) | Role::Telltale(fault) => Some(*fault),
        _ => None,
    }
}

/// `Http503`, `Status404`, `_429`, `Http5xx`: a number among words that say "status".
fn judge_number(words: &[String]) -> Option<Verdict> {
    let (numbers, rest): (Vec<_>, Vec<_>) =
        words.iter().partition(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let [number] = numbers.as_slice() else {
        return None;
    };
    // Any 5xx is as good as the next one.
    let status = if *number == "5xx" { 505 } else { number.parse().ok()? };
    let class = statuses::class(status)?;
    rest.iter().all(|word| AROUND_A_STATUS.contains(&word.as_str())).then(|| verdict_of_status(status, class))
}

fn judge_phrase(words: &[String]) -> Option<Verdict> {
    let meaningful: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "http" | "error" | "err" | "exception" | "failure" | "status"))
        .collect();
    let spoken = meaningful.join(" ");
    let (_, status) = PHRASES.iter().find(|(phrase, _)| *phrase == spoken)?;
    Some(verdict_of_status(*status, statuses::class(*status)?))
}

const fn verdict_of_status(status: u16, class: statuses::Class) -> Verdict {
    match class {
        statuses::Class::Freely => Verdict::Freely,
        statuses::Class::OnlyWithReason => Verdict::OnlyWithReason(Doubt::Status(status)),
        statuses::Class::Never => Verdict::Never(Lie::Status(status)),
    }
}

/// Walks from the last word to the first until one decides.
fn judge_roles(roles: &[Role]) -> Verdict {
    let telltale = roles.iter().find_map(|role| match role {
        Role::Telltale(fault) => Some(*fault),
        _ => None,
    });
    let mut blank = true;
    let mut state = None;
    let mut outage = false;
    for role in roles.iter().rev() {
        match *role {
            Role::Filler | Role::Blank => {}
            Role::Complaint | Role::Objection | Role::Excess => blank = false,
            Role::State(Fault::Malformed) if roles.contains(&Role::Excess) => return Verdict::Freely,
            Role::State(fault) => state = state.or(Some(fault)),
            Role::Outage(fault) => {
                state = state.or(Some(fault));
                outage = true;
            }
            Role::Fault(Fault::Timeout) if roles.iter().any(|role| matches!(role, Role::Objection | Role::Excess)) => {
                return Verdict::Freely;
            }
            Role::Fault(Fault::Timeout) => return Verdict::Never(Lie::Timeout),
            Role::Fault(fault) | Role::Telltale(fault) => return Verdict::OnlyWithReason(Doubt::Fault(fault)),
            Role::Part => return Verdict::OnlyWithReason(Doubt::Fault(Fault::Malformed)),
            // Whatever it is, it is out of service: the state decides.
            Role::Thing if outage => break,
            Role::Thing | Role::Goods => {
                return telltale.map_or(Verdict::Freely, |fault| Verdict::OnlyWithReason(Doubt::Fault(fault)));
            }
            Role::Answer => return Verdict::Freely,
        }
    }
    match state {
        Some(fault) => Verdict::OnlyWithReason(Doubt::Fault(fault)),
        None if blank => Verdict::OnlyWithReason(Doubt::Blank),
        None => Verdict::Freely,
    }
}

/// What each word, or row of words that belong together, does in the name.
fn roles(words: &[String]) -> Vec<Role> {
    let mut roles = Vec::with_capacity(words.len());
    let mut rest = words;
    while !rest.is_empty() {
        let (role, taken) = vocabulary::look_up(rest);
        roles.push(role);
        rest = &rest[taken..];
    }
    roles
}
