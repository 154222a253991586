//! An answer that is not the JSON that it should be.

use crate::never::NeverReachable;

impl NeverReachable for serde_json::Error {}
