//! Responses and errors of `reqwest`.

use std::error::Error as _;

use reqwest::{Error, Response};

use super::http::CarriesStatus;
use crate::evidence::{Evidence, ProvesReachable};
use crate::never::NeverReachable;
use crate::status;
use crate::transport::Fault;
use crate::transport::types::along;

impl CarriesStatus for Response {
    fn carried_status(&self) -> Option<u16> {
        Some(self.status().as_u16())
    }
}

/// An error made by `error_for_status` is of the same type as a fault on the way, so none can carry a mark: name the
/// status instead.
impl NeverReachable for Error {}

/// By what it knows: the status of `error_for_status()` says what it says in a `#[reachable(status)]` field, a request
/// that could not be built says nothing, and everything else is a failure.
impl ProvesReachable for Error {
    fn evidence(&self) -> Evidence {
        match self.status() {
            Some(status) => status::evidence_of(Some(status.as_u16())),
            None if self.is_builder() => Evidence::Unknown,
            None => Evidence::Failed,
        }
    }

    fn transport_fault(&self) -> Option<Fault> {
        Some(fault(self))
    }
}

/// Its message holds the URL, so its words are never asked.
pub(super) fn fault(error: &Error) -> Fault {
    if let Some(status) = error.status() {
        return Fault::Status(status.as_u16());
    }
    match (error.is_timeout(), is_connect(error)) {
        (true, true) => Fault::ConnectTimeout,
        (true, false) => Fault::Timeout,
        (false, true) => Fault::Connection,
        (false, false) => along(error.source()).unwrap_or(Fault::Other),
    }
}

#[cfg(not(target_family = "wasm"))]
fn is_connect(error: &Error) -> bool {
    error.is_connect()
}

/// A browser does not tell.
#[cfg(target_family = "wasm")]
fn is_connect(_: &Error) -> bool {
    false
}
