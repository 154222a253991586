//! Faults of the channel. A `tonic::Status` is none: it may well be what the remote system said.

use crate::never::NeverReachable;

impl NeverReachable for tonic::transport::Error {}
