//! The error of `hyper-util`'s client: transport faults of pooled connections.

use std::error::Error as _;

use hyper_util::client::legacy::Error;

use super::Classification;
use crate::evidence::{Fault, NeverReachable};

impl NeverReachable for Error {}

pub(super) fn classify(error: &Error) -> Classification<'_> {
    let conclude: fn(Option<Fault>) -> Fault = if error.is_connect() {
        |found| match found {
            Some(Fault::Timeout) => Fault::ConnectTimeout,
            None | Some(Fault::Other) => Fault::Connection,
            Some(found) => found,
        }
    } else {
        |found| found.unwrap_or(Fault::Other)
    };
    Classification::AskSource { source: error.source(), conclude }
}
