//! `tonic::Status`: evidence and transport faults of gRPC calls.

use std::sync::Arc;

use tonic::{Code, ConnectError, Status, TimeoutExpired};

use super::Classification;
use crate::evidence::{Evidence, Fault, NeverReachable};
use crate::rejection::CircuitOpen;

/// A fault of the channel. A [`Status`] may also come from the remote system, so it has evidence of its own instead.
impl NeverReachable for tonic::transport::Error {}

pub(crate) fn evidence(status: &Status) -> Evidence {
    match status.code() {
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

/// A rejection becomes `Unavailable`, with the rejection as its source.
impl From<CircuitOpen> for Status {
    fn from(open: CircuitOpen) -> Self {
        let mut status = Self::unavailable(open.to_string());
        status.set_source(Arc::new(open));
        status
    }
}

pub(super) fn classify(status: &Status) -> Option<Classification<'_>> {
    match status.code() {
        Code::DeadlineExceeded => Some(Classification::Known(Fault::Timeout)),
        Code::Unavailable => Some(Classification::Known(Fault::Connection)),
        // The client makes these from errors of its transport, its own timeout among them, so the source decides.
        Code::Cancelled | Code::Unknown => None,
        _ => Some(Classification::Known(Fault::Other)),
    }
}

pub(super) fn classify_timeout(_: &TimeoutExpired) -> Classification<'_> {
    Classification::Known(Fault::Timeout)
}

pub(super) fn classify_connect(_: &ConnectError) -> Classification<'_> {
    Classification::Known(Fault::Connection)
}
