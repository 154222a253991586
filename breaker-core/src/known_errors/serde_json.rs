//! `serde_json::Error`: a malformed response, which can never carry a mark.

use crate::evidence::NeverReachable;

impl NeverReachable for serde_json::Error {}
