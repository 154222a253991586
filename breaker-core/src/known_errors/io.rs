//! `std::io::Error`: classified by its kind.

use std::io::{self, ErrorKind};

use super::Classification;
#[cfg(feature = "io")]
use crate::evidence::Evidence;
use crate::evidence::Fault;
#[cfg(feature = "io")]
use crate::rejection::CircuitOpen;

pub(super) fn classify(error: &io::Error) -> Option<Classification<'_>> {
    match IoCause::of(error.kind()) {
        IoCause::Timeout => Some(Classification::Known(Fault::Timeout)),
        IoCause::Connection => Some(Classification::Known(Fault::Connection)),
        IoCause::Local | IoCause::Unclassified => None,
    }
}

#[cfg(feature = "io")]
pub(crate) fn evidence(error: &io::Error) -> Evidence {
    match IoCause::of(error.kind()) {
        IoCause::Local => Evidence::Unknown,
        IoCause::Timeout | IoCause::Connection | IoCause::Unclassified => Evidence::Failed,
    }
}

/// A rejection becomes an error of kind `Other`; `error.get_ref()` and `downcast_ref::<CircuitOpen>()` find it again.
#[cfg(feature = "io")]
impl From<CircuitOpen> for io::Error {
    fn from(open: CircuitOpen) -> Self {
        Self::other(open)
    }
}

/// The cause that a kind of I/O error indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IoCause {
    Timeout,
    Connection,
    /// This machine or the caller: the error proves nothing about the remote system.
    Local,
    Unclassified,
}

impl IoCause {
    fn of(kind: ErrorKind) -> Self {
        match kind {
            // On Unix, a blocking socket with a timeout returns `WouldBlock` when the timeout expires.
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
            _ => Self::Unclassified,
        }
    }
}
