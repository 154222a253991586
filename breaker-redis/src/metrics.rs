//! Counters of a fleet.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// The state of the connection between a [`Fleet`](crate::Fleet) and its server, and counters since its start.
        /// Taking it has no side effects and never blocks.
        ///
        /// An *operation* is one request to the server about one circuit: a report of a circuit, or a read by a
        /// comparison.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct FleetSnapshot {
            /// Whether there is a connection and the last request was answered in time. Otherwise this process decides
            /// alone.
            pub connected: bool,
            /// Whether the server refuses some or all operations, for example because of an ACL or full memory. It
            /// becomes false once the server has carried out a write and refused nothing for 1.5 s.
            pub refused: bool,
            /// Whether updates of other processes arrive immediately, through the channel. Otherwise they arrive with
            /// the next comparison.
            pub subscribed: bool,
            /// Operations that were neither answered nor dropped yet. If it stays high, the server is too slow.
            pub waiting: u64,
            $($(#[$doc])+ pub $name: u64,)+
        }

        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: Counter,)+
        }

        impl Counters {
            pub(crate) fn snapshot(&self) -> FleetSnapshot {
                FleetSnapshot { $($name: self.$name.get(),)+ ..FleetSnapshot::default() }
            }
        }
    };
}

counters! {
    /// Operations that the server carried out and answered in time.
    answered,
    /// Operations that were dropped, because the server was lost or refused them, or the queue was full.
    dropped,
    /// The dropped operations for which the queue had no room: see [`FleetBuilder::queue`](crate::FleetBuilder::queue).
    overflowed,
    /// Operations that the server refused. The event [`Refused`](crate::FleetEvent::Refused) has the reason of the
    /// first one.
    errors,
    /// Messages of other processes that arrived through the channel.
    messages,
    /// Probe grants that this process received.
    grants,
    /// Probe grants that this process returned because no call claimed them.
    grants_returned,
    /// How often the server was lost. If it grows while the server is up, the server or the network is slower than
    /// [`FleetBuilder::operation_limit`](crate::FleetBuilder::operation_limit).
    losses,
    /// How often a comparison of all circuits with the server was started.
    comparisons,
}

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
