//! Faults of a request on its way, and of a body on its way back. An error made by `error_for_status` is of the same
//! type, and so it cannot carry a mark either: name its status instead.

use crate::never::NeverReachable;

impl NeverReachable for reqwest::Error {}
