//! `ProvesReachable` for the error types of other crates.

use super::classify;
use crate::evidence::error_chain::Root;
#[cfg(feature = "io")]
use crate::evidence::error_chain::{FoundRejection, rejection_in};
use crate::evidence::{Evidence, Fault, ProvesReachable};
use crate::known_errors;

/// By its kind: a kind that is about this machine or a wrong use, such as `PermissionDenied`, `AddrInUse` or
/// `InvalidInput`, proves nothing about the remote system. Every other kind is a failure, and none is an answer.
#[cfg(feature = "io")]
impl ProvesReachable for std::io::Error {
    fn evidence(&self) -> Evidence {
        known_errors::io::evidence(self)
    }

    fn rejection(&self) -> FoundRejection<'_> {
        // The walk starts at this error, because its `source()` skips the error that it wraps.
        rejection_in(Root::Error(self))
    }

    fn transport_fault(&self) -> Option<Fault> {
        classify(Root::Error(self))
    }
}

macro_rules! reqwest_versions {
    ($(#[cfg($feature:meta)] $module:ident: $error:ty;)*) => {$(
        /// By its content: the status of `error_for_status()` means what it means in a `#[reachable(status)]` field, a request
        /// that could not be built proves nothing, and every other error is a failure.
        #[cfg($feature)]
        impl ProvesReachable for $error {
            fn evidence(&self) -> Evidence {
                known_errors::reqwest::$module::evidence(self)
            }

            fn transport_fault(&self) -> Option<Fault> {
                classify(Root::Error(self))
            }
        }
    )*};
}

reqwest_versions! {
    #[cfg(feature = "reqwest-0-12")] v0_12: reqwest_0_12::Error;
    #[cfg(feature = "reqwest")] v0_13: reqwest::Error;
}

/// By its code: a code is an answer where the server must have understood the request. `tonic` itself makes two of these:
/// `PermissionDenied` from a bare HTTP 403, and `OutOfRange` from a message over its size limit.
///
/// | code | evidence |
/// |---|---|
/// | `InvalidArgument`, `NotFound`, `AlreadyExists`, `PermissionDenied`, `FailedPrecondition`, `OutOfRange` | Answered |
/// | `Unauthenticated`, `ResourceExhausted`, `Aborted` | Unknown |
/// | every other one | Failed |
#[cfg(feature = "tonic")]
impl ProvesReachable for tonic::Status {
    fn evidence(&self) -> Evidence {
        known_errors::tonic::evidence(self)
    }

    fn transport_fault(&self) -> Option<Fault> {
        classify(Root::Error(self))
    }
}
