//! Errors of `tokio`: timeouts, and channels whose other end is gone.

use tokio::sync::{AcquireError, broadcast, mpsc, oneshot, watch};
use tokio::time;

use super::Classification;
use crate::evidence::{Fault, NeverReachable};

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

pub(super) fn classify(_: &time::error::Elapsed) -> Classification<'_> {
    Classification::Known(Fault::Timeout)
}
