//! `tungstenite::Error`: transport faults of WebSocket connections.

use tungstenite::Error;
use tungstenite::error::ProtocolError;

use super::Classification;
use crate::evidence::{Fault, NeverReachable};

impl NeverReachable for Error {}

pub(super) fn classify(error: &Error) -> Classification<'_> {
    Classification::Known(match error {
        Error::Io(error) => {
            return Classification::AskSource { source: Some(error), conclude: |found| found.unwrap_or(Fault::Other) };
        }
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Tls(_)
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete) => {
            Fault::Connection
        }
        _ => Fault::Other,
    })
}
