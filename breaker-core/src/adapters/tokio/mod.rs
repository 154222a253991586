//! Timeouts, and the other end of a channel that went away.

mod timeout;

pub use timeout::{CarriesTimeout, TimedJudge, TimedOut};

use tokio::sync::{AcquireError, broadcast, mpsc, oneshot, watch};
use tokio::time;

use crate::never::NeverReachable;
use crate::transport::Fault;

impl NeverReachable for TimedOut {}
impl NeverReachable for time::error::Elapsed {}
impl NeverReachable for time::error::Error {}
impl NeverReachable for AcquireError {}
impl NeverReachable for broadcast::error::RecvError {}
impl NeverReachable for broadcast::error::TryRecvError {}
impl NeverReachable for oneshot::error::RecvError {}
impl NeverReachable for oneshot::error::TryRecvError {}
impl NeverReachable for watch::error::RecvError {}
impl NeverReachable for mpsc::error::TryRecvError {}
impl<T> NeverReachable for mpsc::error::SendError<T> {}
impl<T> NeverReachable for mpsc::error::TrySendError<T> {}

pub(super) fn fault(_: &time::error::Elapsed) -> Fault {
    Fault::Timeout
}
