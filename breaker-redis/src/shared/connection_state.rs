//! The state of the connection to the server, and of what the server accepts.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long nothing must be refused before the server counts as accepting again. Longer than the wait after which circuits
/// with a refused operation are read again.
const REFUSAL_QUIET_PERIOD: Duration = Duration::from_millis(1_500);

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ConnectionState {
    /// Never connected so far.
    Starting,
    Connected,
    Lost,
}

/// The connection and subscription of a fleet, and refusals of the server.
#[derive(Debug)]
pub(crate) struct Connectivity {
    state: AtomicU8,
    refusal: Mutex<Option<Refusal>>,
    subscribed: AtomicBool,
}

/// Operations that the server refused.
#[derive(Debug)]
struct Refusal {
    last: Instant,
    /// Whether the server has carried out a write since.
    is_over: bool,
}

impl Connectivity {
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU8::new(ConnectionState::Starting as u8),
            refusal: Mutex::default(),
            subscribed: AtomicBool::new(false),
        }
    }

    pub(crate) fn is(&self, state: ConnectionState) -> bool {
        self.state.load(Ordering::Acquire) == state as u8
    }

    /// Sets the state. Returns whether it was `Lost` before.
    pub(crate) fn set(&self, state: ConnectionState) -> bool {
        self.state.swap(state as u8, Ordering::AcqRel) == ConnectionState::Lost as u8
    }

    /// Records a refused operation. Returns whether it is the first one since the server last accepted.
    pub(crate) fn refuse(&self) -> bool {
        self.refusal().replace(Refusal { last: Instant::now(), is_over: false }).is_none()
    }

    /// Records a write that the server carried out. Returns whether it is the first one after a refusal.
    pub(crate) fn accept(&self) -> bool {
        self.refusal().as_mut().is_some_and(|refusal| !std::mem::replace(&mut refusal.is_over, true))
    }

    /// Ends the refusal once a write was carried out and nothing was refused for a while, because the server may refuse
    /// operations on one circuit and accept the others. Returns whether it has just ended.
    pub(crate) fn end_refusal(&self) -> bool {
        self.refusal().take_if(|refusal| refusal.is_over && refusal.last.elapsed() >= REFUSAL_QUIET_PERIOD).is_some()
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.refusal().is_some()
    }

    /// Records a subscription. Returns whether there was none before.
    pub(crate) fn subscribe(&self) -> bool {
        !self.subscribed.swap(true, Ordering::AcqRel)
    }

    /// Records the end of the subscription. Returns whether there was one.
    pub(crate) fn unsubscribe(&self) -> bool {
        take_flag(&self.subscribed)
    }

    pub(crate) fn is_subscribed(&self) -> bool {
        self.subscribed.load(Ordering::Acquire)
    }

    fn refusal(&self) -> MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Clears a flag. Returns whether it was set.
pub(crate) fn take_flag(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Acquire) && flag.swap(false, Ordering::AcqRel)
}
