//! What the error of `hyper-util`'s client tells of the transport.

use std::error::Error as _;

use hyper_util::client::legacy::Error;

use crate::never::NeverReachable;
use crate::transport::Fault;
use crate::transport::types::along;

impl NeverReachable for Error {}

pub(super) fn fault(error: &Error) -> Fault {
    match along(error.source()) {
        Some(Fault::Timeout) if error.is_connect() => Fault::ConnectTimeout,
        None | Some(Fault::Other) if error.is_connect() => Fault::Connection,
        told => told.unwrap_or(Fault::Other),
    }
}
