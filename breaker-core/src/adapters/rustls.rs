//! What `rustls::Error` tells of the transport.

use rustls::Error;

use crate::never::NeverReachable;
use crate::transport::Fault;

impl NeverReachable for Error {}

pub(super) fn fault(_: &Error) -> Fault {
    Fault::Connection
}
