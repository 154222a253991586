//! The state of the connection to the server, and of what the server accepts.
//!
//! Only the thread of the fleet changes these states. The threads of calls read the connection state for each report,
//! and a value that is out of date does no harm: a request that is queued just after the server was lost is sent or
//! dropped with the next attempt to connect, and a report that is dropped just before the server is back counts as
//! missed.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long nothing must be refused before the server counts as accepting again. Longer than the wait after which
/// circuits with a refused operation are read again.
const REFUSAL_QUIET_PERIOD: Duration = Duration::from_millis(1_500);

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionState {
    /// Before the end of the first attempt to connect. Requests are queued.
    Starting,
    /// The server answers in time. Requests are queued.
    Connected,
    /// The server cannot be reached, or did not answer in time. Requests are dropped at once, so that a circuit that
    /// asks for a grant probes without one instead of waiting.
    Lost,
}

impl ConnectionState {
    const ALL: [Self; 3] = [Self::Starting, Self::Connected, Self::Lost];
}

/// Whether the server refuses operations, with the time of the last refusal.
///
/// ```text
/// Accepting --refused--> Refusing --write accepted--> Ending --quiet period--> Accepting
///                           ^                           |
///                           +---------- refused --------+
/// ```
///
/// A server may refuse operations on one circuit and accept the others. Without the quiet period, each accepted write
/// would end the refusal, and the next refusal would be another event.
#[derive(Clone, Copy, Debug, Default)]
enum Refusal {
    #[default]
    Accepting,
    Refusing {
        last: Instant,
    },
    Ending {
        last: Instant,
    },
}

/// The connection and subscription of a fleet, and refusals of the server.
#[derive(Debug)]
pub(crate) struct Connectivity {
    /// An index into [`ConnectionState::ALL`].
    state: AtomicU8,
    refusal: Mutex<Refusal>,
    subscribed: AtomicBool,
}

impl Connectivity {
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU8::new(ConnectionState::Starting as u8),
            refusal: Mutex::default(),
            subscribed: AtomicBool::new(false),
        }
    }

    pub(crate) fn state(&self) -> ConnectionState {
        ConnectionState::ALL[usize::from(self.state.load(Ordering::Acquire))]
    }

    /// Sets the state and returns the one before.
    pub(crate) fn replace_state(&self, state: ConnectionState) -> ConnectionState {
        ConnectionState::ALL[usize::from(self.state.swap(state as u8, Ordering::AcqRel))]
    }

    /// Records a refused operation. Returns whether it is the first one since the server last accepted.
    pub(crate) fn refuse(&self) -> bool {
        let before = std::mem::replace(&mut *self.refusal(), Refusal::Refusing { last: Instant::now() });
        matches!(before, Refusal::Accepting)
    }

    /// Records a write that the server carried out. Returns whether it is the first one after a refusal.
    pub(crate) fn accept(&self) -> bool {
        let mut refusal = self.refusal();
        let Refusal::Refusing { last } = *refusal else { return false };
        *refusal = Refusal::Ending { last };
        true
    }

    /// Ends the refusal if the quiet period is over. Returns whether it has just ended.
    pub(crate) fn end_refusal(&self) -> bool {
        let mut refusal = self.refusal();
        let ends = matches!(*refusal, Refusal::Ending { last } if last.elapsed() >= REFUSAL_QUIET_PERIOD);
        if ends {
            *refusal = Refusal::Accepting;
        }
        ends
    }

    pub(crate) fn is_refused(&self) -> bool {
        !matches!(*self.refusal(), Refusal::Accepting)
    }

    /// Records a subscription. Returns whether it is a new one.
    pub(crate) fn subscribe(&self) -> bool {
        !self.subscribed.swap(true, Ordering::AcqRel)
    }

    /// Records the end of the subscription. Returns whether it has just ended.
    pub(crate) fn unsubscribe(&self) -> bool {
        take_flag(&self.subscribed)
    }

    pub(crate) fn is_subscribed(&self) -> bool {
        self.subscribed.load(Ordering::Acquire)
    }

    fn refusal(&self) -> MutexGuard<'_, Refusal> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Clears a flag. Returns whether it was set. It is read first, because it is rarely set, and a read does not take its
/// cache line from the other threads.
pub(crate) fn take_flag(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Acquire) && flag.swap(false, Ordering::AcqRel)
}
