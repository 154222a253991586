//! `hyper::Error`: transport faults of HTTP connections.

use std::error::Error as _;

use hyper::Error;

use super::Classification;
use crate::evidence::{Fault, NeverReachable};

impl NeverReachable for Error {}

pub(super) fn classify(error: &Error) -> Classification<'_> {
    if error.is_timeout() {
        return Classification::Known(Fault::Timeout);
    }
    // A connection that closes before it was used cancels the requests that wait for it.
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return Classification::Known(Fault::Connection);
    }
    Classification::AskSource { source: error.source(), conclude: |found| found.unwrap_or(Fault::Other) }
}
