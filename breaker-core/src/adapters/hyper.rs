//! What `hyper::Error` tells of the transport.

use std::error::Error as _;

use hyper::Error;

use crate::never::NeverReachable;
use crate::transport::Fault;
use crate::transport::types::along;

impl NeverReachable for Error {}

pub(super) fn fault(error: &Error) -> Fault {
    if error.is_timeout() {
        return Fault::Timeout;
    }
    // A connection that closes before it was used cancels what waits for it.
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return Fault::Connection;
    }
    along(error.source()).unwrap_or(Fault::Other)
}
