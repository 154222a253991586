//! `rustls::Error`: faults of TLS connections.

use rustls::Error;

use super::Classification;
use crate::evidence::{Fault, NeverReachable};

impl NeverReachable for Error {}

pub(super) fn classify(_: &Error) -> Classification<'_> {
    Classification::Known(Fault::Connection)
}
