//! What a fleet counts.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// How a [`Fleet`](crate::Fleet) stands with its server, and what it has done since it started. Taking it changes
        /// nothing and waits for nobody.
        ///
        /// An *operation* is one question to the server about one circuit; *news* are the operations that circuits asked
        /// for, and the rest compares circuits.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct FleetSnapshot {
            /// Whether there is a connection, and the server answered in time when it was last asked. Otherwise this process is
            /// on its own.
            pub connected: bool,
            /// Whether the server refuses operations, or some of them: an ACL, a full memory. It ends when it has accepted one
            /// that writes and refused none for 1.5 s.
            pub refused: bool,
            /// Whether news of other processes come at once, by the channel; otherwise with the next comparison.
            pub subscribed: bool,
            /// Operations that are neither answered nor given up yet. Where it stays high, the server is too slow.
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
    /// CircuitReport of circuits that were given up: the server was lost, refused them, or the queue was full.
    dropped,
    /// Of the dropped ones, those for which the queue had no room: see [`FleetBuilder::queue`](crate::FleetBuilder::queue).
    overflowed,
    /// Operations that the server refused. The event [`Refused`](crate::FleetEvent::Refused) has the first one's reason.
    errors,
    /// Messages of other processes that came by the channel.
    messages,
    /// How often this process was given leave to probe.
    grants,
    /// How often it gave leave back because no call had come for it.
    grants_returned,
    /// How often the server was lost. Growing while the server is up, it or the network is slower than
    /// [`FleetBuilder::operation_limit`](crate::FleetBuilder::operation_limit).
    losses,
    /// How often a comparison of all circuits with the server's began.
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
