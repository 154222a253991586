//! Rows of the table of marks.

use crate::evidence::Evidence;
use crate::evidence::Mark;

/// The rows of a table of marks.
pub type Rows = Vec<Mark>;

/// Name, evidence, statuses, and the reason (empty for a mark without one).
pub type Row = (&'static str, Option<Evidence>, &'static [u16], &'static str);

pub const ANSWERED: Option<Evidence> = Some(Evidence::Answered);
pub const FAILED: Option<Evidence> = Some(Evidence::Failed);
pub const UNKNOWN: Option<Evidence> = Some(Evidence::Unknown);
pub const BY_VALUE: Option<Evidence> = None;

/// Returns the evidence of an unmarked variant: a failure, unless the variant passes on a rejection.
#[must_use]
pub const fn failed(is_rejection: bool) -> Option<Evidence> {
    if is_rejection { UNKNOWN } else { FAILED }
}

/// Returns the evidence of a variant under the mark of its enum: an answer, unless the variant passes on a rejection.
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
