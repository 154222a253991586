//! `h2::Error`: transport faults of HTTP/2.

use h2::{Error, Reason};

use super::Classification;
use crate::evidence::{Fault, NeverReachable};

impl NeverReachable for Error {}

pub(super) fn classify(error: &Error) -> Classification<'_> {
    if let Some(io) = error.get_io() {
        return Classification::AskSource { source: Some(io), conclude: |found| found.unwrap_or(Fault::Connection) };
    }
    Classification::Known(match error.reason() {
        Some(Reason::SETTINGS_TIMEOUT) => Fault::Timeout,
        // The remote asks for fewer requests or another protocol, so the connection works.
        Some(Reason::ENHANCE_YOUR_CALM | Reason::HTTP_1_1_REQUIRED) | None => Fault::Other,
        // The remote ended the stream or the connection. This side does so after a protocol error or on its own account.
        Some(_) if error.is_remote() => Fault::Connection,
        Some(_) => Fault::Other,
    })
}
