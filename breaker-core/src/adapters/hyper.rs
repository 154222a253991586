//! Faults of the connection, and of the messages on it.

use crate::never::NeverReachable;

impl NeverReachable for hyper::Error {}
