//! Events of the connection between a process and the server.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An event of the connection between this process and the server. Changes of circuits are reported to
/// [`RegistryBuilder::on_event`](breaker_core::RegistryBuilder::on_event).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetEvent {
    /// The server answered for the first time.
    Connected,
    /// The server cannot be reached or does not answer in time, so this process decides alone. Reported once, not for
    /// each attempt to reconnect.
    Lost {
        /// The reason, as text.
        reason: String,
    },
    /// The server answers again.
    Recovered {
        /// [`FleetSnapshot::dropped`](crate::FleetSnapshot::dropped): the number of operations that were dropped since
        /// the process started.
        dropped: u64,
    },
    /// The server answers, but refuses an operation: because of an ACL, full memory, or a read-only replica. Reported
    /// once, until the server accepts again.
    Refused {
        /// The answer of the server.
        reason: String,
    },
    /// The server carries out operations again and has refused none for a while.
    Accepted,
    /// Updates of other processes arrive immediately.
    Subscribed,
    /// Updates of other processes arrive only with the next poll.
    Unsubscribed {
        /// The reason, as text.
        reason: String,
    },
}

impl fmt::Display for FleetEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected => f.write_str("the fleet's server answers"),
            Self::Lost { reason } => write!(f, "the fleet's server is lost: {reason}"),
            Self::Recovered { dropped } => {
                write!(f, "the fleet's server answers again ({dropped} reports dropped so far)")
            }
            Self::Refused { reason } => write!(f, "the fleet's server refuses: {reason}"),
            Self::Accepted => f.write_str("the fleet's server accepts again"),
            Self::Subscribed => f.write_str("subscribed to the fleet's channel"),
            Self::Unsubscribed { reason } => write!(f, "not subscribed to the fleet's channel: {reason}"),
        }
    }
}

/// A function that receives every event.
pub(crate) type Hook = Box<dyn Fn(&FleetEvent) + Send + Sync>;

/// Passes an event to every hook. The panic of a hook is printed by the panic handler and has no other effect.
pub(crate) fn notify(hooks: &[Hook], event: &FleetEvent) {
    for hook in hooks {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| hook(event))) {
            // Dropping the payload may panic once more.
            std::mem::forget(payload);
        }
    }
}
