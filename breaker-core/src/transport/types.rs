//! What the types of errors tell of the transport.

use std::error::Error;
use std::io::{self, ErrorKind};

use super::{Fault, chain};
use crate::adapters;

/// What the first error of a chain tells whose type is known; `None` where there is none.
pub(crate) fn along(error: Option<&(dyn Error + 'static)>) -> Option<Fault> {
    chain(error).find_map(|error| match error.downcast_ref::<io::Error>() {
        Some(error) => match Cause::of(error.kind()) {
            Cause::Timeout => Some(Fault::Timeout),
            Cause::Connection => Some(Fault::Connection),
            Cause::Local | Cause::Unsaid => None,
        },
        None => adapters::fault(error),
    })
}

/// What a kind of I/O error says of its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Timeout,
    Connection,
    /// This machine or the caller, so that nothing was learned of the remote system.
    Local,
    Unsaid,
}

impl Cause {
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            // A blocking socket with a time limit says `WouldBlock` on Unix when that is over.
            ErrorKind::TimedOut | ErrorKind::WouldBlock => Self::Timeout,
            ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::NotConnected
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown => Self::Connection,
            ErrorKind::AddrInUse
            | ErrorKind::AddrNotAvailable
            | ErrorKind::AlreadyExists
            | ErrorKind::ArgumentListTooLong
            | ErrorKind::CrossesDevices
            | ErrorKind::Deadlock
            | ErrorKind::DirectoryNotEmpty
            | ErrorKind::ExecutableFileBusy
            | ErrorKind::FileTooLarge
            | ErrorKind::InvalidInput
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::NotSeekable
            | ErrorKind::OutOfMemory
            | ErrorKind::PermissionDenied
            | ErrorKind::QuotaExceeded
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::StorageFull
            | ErrorKind::TooManyLinks => Self::Local,
            _ => Self::Unsaid,
        }
    }
}
