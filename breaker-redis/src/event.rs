//! What a fleet tells of itself.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How it stands between this process and the server. What happens to circuits is told by
/// [`RegistryBuilder::on_event`](breaker_core::RegistryBuilder::on_event).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetEvent {
    /// The server answers for the first time.
    Connected,
    /// The server cannot be reached, or does not answer in time: the process is on its own. StateUpdate once, not for each attempt
    /// to reach it.
    Lost {
        /// Why, in words.
        reason: String,
    },
    /// The server answers again.
    Recovered {
        /// What circuits told meanwhile and before, since the process started, that nobody heard.
        dropped: u64,
    },
    /// The server answers, but does not do what it was asked: an ACL, a full memory, a read-only replica. StateUpdate once, until
    /// it accepts again.
    Refused {
        /// What it says.
        reason: String,
    },
    /// The server does again what it is asked, and has refused nothing for a while.
    Accepted,
    /// CircuitReport of other processes come at once.
    Subscribed,
    /// CircuitReport of other processes come only with the next poll.
    Unsubscribed {
        /// Why, in words.
        reason: String,
    },
}

impl fmt::Display for FleetEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected => f.write_str("the fleet's server answers"),
            Self::Lost { reason } => write!(f, "the fleet's server is lost: {reason}"),
            Self::Recovered { dropped } => {
                write!(f, "the fleet's server answers again ({dropped} news dropped so far)")
            }
            Self::Refused { reason } => write!(f, "the fleet's server refuses: {reason}"),
            Self::Accepted => f.write_str("the fleet's server accepts again"),
            Self::Subscribed => f.write_str("subscribed to the fleet's channel"),
            Self::Unsubscribed { reason } => write!(f, "not subscribed to the fleet's channel: {reason}"),
        }
    }
}

/// A function that is told of every event.
pub(crate) type Hook = Box<dyn Fn(&FleetEvent) + Send + Sync>;

/// Tells every hook. The panic of one is printed by the panic handler and stops neither the others nor the fleet.
pub(crate) fn tell(hooks: &[Hook], event: &FleetEvent) {
    for hook in hooks {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| hook(event))) {
            // Dropping the payload may panic once more.
            std::mem::forget(payload);
        }
    }
}
