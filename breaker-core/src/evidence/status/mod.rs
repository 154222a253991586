//! Evidence of an HTTP status in an error.

mod classes;

pub(crate) use classes::{Class, NO_STATUS, class, never_because, reason_needed_because};

use super::Evidence;

/// Returns the evidence of an error whose `#[reachable(status)]` field contains `status`.
///
/// | status | evidence | reason |
/// |---|---|---|
/// | 304, 402, 403, 404, 409, 410, 412, 413, 415, 416, 422, 423, 428, 450, 451 | Answered | a definite answer |
/// | 5xx, 408, 444, 460, 499 | Failed | a fault of the server, or no answer |
/// | any other status | Unknown | about the caller, the credentials, a front end or the rate of calls |
/// | none, or a number below 100 or above 599 | Failed | there was no answer |
///
/// This agrees with the judgement of an `Ok` response by its status where a status counts as failure or answer. There
/// is one difference: a method that returned a status as an *error* has classified it as a failure, so every 5xx counts
/// here and no setting is consulted.
pub(crate) const fn evidence_of(status: Option<u16>) -> Evidence {
    let Some(status) = status else {
        return Evidence::Failed;
    };
    match (class(status), status) {
        (Some(Class::Freely), _) => Evidence::Answered,
        (None, _) | (_, 408 | 444 | 460 | 499 | 500..=599) => Evidence::Failed,
        (Some(_), _) => Evidence::Unknown,
    }
}

/// Whether a response with this status is a definite answer.
pub(crate) const fn is_answer(status: u16) -> bool {
    matches!(status, 200..=399) || matches!(class(status), Some(Class::Freely))
}
