//! What `tungstenite::Error` tells of the transport.

use tungstenite::Error;
use tungstenite::error::ProtocolError;

use crate::never::NeverReachable;
use crate::transport::Fault;
use crate::transport::types::along;

impl NeverReachable for Error {}

pub(super) fn fault(error: &Error) -> Fault {
    match error {
        Error::Io(error) => along(Some(error)).unwrap_or(Fault::Other),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Tls(_)
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete) => {
            Fault::Connection
        }
        _ => Fault::Other,
    }
}
