//! `reqwest::Error`: evidence and transport faults of HTTP requests.

use std::error::Error as _;

use reqwest::Error;

use super::Classification;
use crate::evidence::{Evidence, Fault, NeverReachable, status};

/// `error_for_status` makes errors of the same type as transport faults, so this type cannot carry a mark: name the
/// status instead.
impl NeverReachable for Error {}

pub(crate) fn evidence(error: &Error) -> Evidence {
    match error.status() {
        Some(status) => status::evidence_of(Some(status.as_u16())),
        None if error.is_builder() => Evidence::Unknown,
        None => Evidence::Failed,
    }
}

/// Never leaves the decision to the words of the message, because the message contains the URL.
pub(super) fn classify(error: &Error) -> Classification<'_> {
    if let Some(status) = error.status() {
        return Classification::Known(Fault::Status(status.as_u16()));
    }
    match (error.is_timeout(), is_connect(error)) {
        (true, true) => Classification::Known(Fault::ConnectTimeout),
        (true, false) => Classification::Known(Fault::Timeout),
        (false, true) => Classification::Known(Fault::Connection),
        (false, false) => {
            Classification::AskSource { source: error.source(), conclude: |found| found.unwrap_or(Fault::Other) }
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn is_connect(error: &Error) -> bool {
    error.is_connect()
}

/// In a browser, `reqwest` does not report connection errors apart from others.
#[cfg(target_family = "wasm")]
fn is_connect(_: &Error) -> bool {
    false
}
