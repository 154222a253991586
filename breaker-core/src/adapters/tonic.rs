//! `tonic::Status` as the error type of a guarded call.

use std::error::Error as _;
use std::sync::Arc;

use tonic::{Code, ConnectError, Status, TimeoutExpired};

use crate::evidence::{Evidence, ProvesReachable};
use crate::never::NeverReachable;
use crate::rejection::CircuitOpen;
use crate::transport::Fault;
use crate::transport::types::along;

/// A fault of the channel. A [`Status`] is none: it may well be what the remote system said.
impl NeverReachable for tonic::transport::Error {}

/// By its code: those are answers that need a request which was understood. `tonic` itself makes two of them, too:
/// `PermissionDenied` of a bare HTTP 403, and `OutOfRange` of a message over its size limit.
///
/// | code | evidence |
/// |---|---|
/// | `InvalidArgument`, `NotFound`, `AlreadyExists`, `PermissionDenied`, `FailedPrecondition`, `OutOfRange` | Answered |
/// | `Unauthenticated`, `ResourceExhausted`, `Aborted` | Unknown |
/// | every other one | Failed |
impl ProvesReachable for Status {
    fn evidence(&self) -> Evidence {
        match self.code() {
            Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::OutOfRange => Evidence::Answered,
            // The credentials did not work, a quota is used up, or the same request may succeed in a moment.
            Code::Unauthenticated | Code::ResourceExhausted | Code::Aborted => Evidence::Unknown,
            Code::Ok
            | Code::Cancelled
            | Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss => Evidence::Failed,
        }
    }

    fn transport_fault(&self) -> Option<Fault> {
        fault(self)
    }
}

/// A rejection, as `Unavailable`: among the sources it is found again.
impl From<CircuitOpen> for Status {
    fn from(open: CircuitOpen) -> Self {
        let mut status = Self::unavailable(open.to_string());
        status.set_source(Arc::new(open));
        status
    }
}

pub(super) fn fault(status: &Status) -> Option<Fault> {
    match status.code() {
        Code::DeadlineExceeded => Some(Fault::Timeout),
        Code::Unavailable => Some(Fault::Connection),
        // The client makes these up of what its transport says, a timeout of its own among it.
        Code::Cancelled | Code::Unknown => along(status.source()),
        _ => Some(Fault::Other),
    }
}

pub(super) fn fault_of_timeout(_: &TimeoutExpired) -> Fault {
    Fault::Timeout
}

pub(super) fn fault_of_connect(_: &ConnectError) -> Fault {
    Fault::Connection
}
