//! What a fleet counts.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// What a [`Fleet`](crate::Fleet) has done since it started. Taking it changes nothing.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct FleetSnapshot {
            /// Whether the server answered last.
            pub connected: bool,
            /// Whether the server last refused what it was asked.
            pub refused: bool,
            /// Whether news of other processes come at once.
            pub subscribed: bool,
            /// What circuits have told that the server has not answered yet.
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
    /// News of circuits that were given up: the server was lost, refused them, or the queue was full.
    dropped,
    /// Of the dropped ones, those for which the queue had no room.
    overflowed,
    /// Operations that the server refused.
    errors,
    /// Messages of other processes that came by the channel.
    messages,
    /// Grants to probe that this process got.
    grants,
    /// Of those, the ones that were given back because no call came for them.
    grants_returned,
    /// How often the server was lost.
    losses,
    /// How often all circuits were compared with the server's.
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
