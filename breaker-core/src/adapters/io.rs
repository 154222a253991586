//! `std::io::Error` as the error type of a guarded call.

use std::io;

use crate::evidence::{Evidence, ProvesReachable};
use crate::rejection::{self, CircuitOpen};
use crate::transport::Fault;
use crate::transport::types::{Cause, along};

/// By its kind: one that speaks of this machine or of a wrong use, such as `PermissionDenied`, `AddrInUse` or
/// `InvalidInput`, says nothing of the remote system, and every other one is a failure. None is ever an answer.
impl ProvesReachable for io::Error {
    fn evidence(&self) -> Evidence {
        match Cause::of(self.kind()) {
            Cause::Local => Evidence::Unknown,
            Cause::Timeout | Cause::Connection | Cause::Unsaid => Evidence::Failed,
        }
    }

    fn passes_on_rejection(&self) -> bool {
        // From this error on, for its `source()` passes over the one that it wraps.
        rejection::in_chain(Some(self))
    }

    fn transport_fault(&self) -> Option<Fault> {
        along(Some(self))
    }
}

/// A rejection, in an error of kind `Other`: `error.get_ref()` and `downcast_ref::<CircuitOpen>()` find it again.
impl From<CircuitOpen> for io::Error {
    fn from(open: CircuitOpen) -> Self {
        Self::other(open)
    }
}
