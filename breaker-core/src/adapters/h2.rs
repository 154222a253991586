//! What `h2::Error` tells of the transport.

use h2::{Error, Reason};

use crate::never::NeverReachable;
use crate::transport::Fault;
use crate::transport::types::along;

impl NeverReachable for Error {}

pub(super) fn fault(error: &Error) -> Fault {
    if let Some(io) = error.get_io() {
        return along(Some(io)).unwrap_or(Fault::Connection);
    }
    match error.reason() {
        Some(Reason::SETTINGS_TIMEOUT) => Fault::Timeout,
        // The other side wants it slower, or over another protocol: the way to it is fine.
        Some(Reason::ENHANCE_YOUR_CALM | Reason::HTTP_1_1_REQUIRED) | None => Fault::Other,
        // It broke the stream, or the connection, off. This side does so for a mistake in what came, or of its own.
        Some(_) if error.is_remote() => Fault::Connection,
        Some(_) => Fault::Other,
    }
}
