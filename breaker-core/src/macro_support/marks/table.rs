//! The table of marks.

use crate::evidence::Evidence;
use crate::evidence::Mark;

/// The rows of a table of marks.
pub type Rows = Vec<Mark>;

/// Name, evidence, statuses, and the reason, which is empty where there is none.
pub type Row = (&'static str, Option<Evidence>, &'static [u16], &'static str);

pub const ANSWERED: Option<Evidence> = Some(Evidence::Answered);
pub const FAILED: Option<Evidence> = Some(Evidence::Failed);
pub const UNKNOWN: Option<Evidence> = Some(Evidence::Unknown);
pub const BY_VALUE: Option<Evidence> = None;

/// An unmarked variant is a failure, unless it passes on a rejection.
#[must_use]
pub const fn failed(is_rejection: bool) -> Option<Evidence> {
    if is_rejection { UNKNOWN } else { FAILED }
}

/// A variant under the mark of its enum is an answer, unless it passes on a rejection.
#[must_use]
pub const fn answered(is_rejection: bool) -> Option<Evidence> {
    if is_rejection { UNKNOWN } else { ANSWERED }
}

#[must_use]
pub fn rows<const N: usize>(rows: [Row; N]) -> Rows {
    rows.iter()
        .map(|&(name, evidence, status, reason)| Mark {
            name,
            evidence,
            status,
            reason: (!reason.is_empty()).then_some(reason),
        })
        .collect()
}
