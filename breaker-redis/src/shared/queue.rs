//! The queue of requests to the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::mpsc::{self, Receiver, Sender};

use super::connection_state::take_flag;
use crate::protocol::Operation;

/// One operation on one circuit.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) connection: Arc<str>,
    pub(crate) era: Option<u64>,
    pub(crate) operation: Operation,
    pub(crate) stamp: Option<u64>,
}

impl Request {
    pub(crate) fn read(connection: Arc<str>) -> Self {
        Self { connection, era: None, operation: Operation::Read, stamp: None }
    }
}

/// The sending half of the queue, with the number of pending requests.
#[derive(Debug)]
pub(crate) struct RequestQueue {
    sender: Sender<Request>,
    /// Requests that were neither answered nor dropped yet.
    pending: AtomicU64,
    /// Whether a request found no room since this was last taken. Only a comparison of all circuits makes up for it.
    overflowed: AtomicBool,
}

impl RequestQueue {
    pub(crate) fn new(length: usize) -> (Self, Receiver<Request>) {
        let (sender, receiver) = mpsc::channel(length);
        (Self { sender, pending: AtomicU64::new(0), overflowed: AtomicBool::new(false) }, receiver)
    }

    /// Sends a counted request, without waiting. Returns the request where the queue has no room.
    pub(crate) fn send(&self, request: Request) -> Result<(), Request> {
        self.sender.try_send(request).map_err(|error| {
            self.overflowed.store(true, Ordering::Release);
            error.into_inner()
        })
    }

    /// Counts a request as pending, whether it goes through the queue or not. Called before the request is sent,
    /// because it could be answered before it is counted otherwise.
    pub(crate) fn start(&self) {
        self.pending.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts a request as answered or dropped. Called after its circuit was updated, because
    /// [`Fleet::flush`](crate::Fleet::flush) waits for that.
    pub(crate) fn finish(&self) {
        self.pending.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn pending(&self) -> u64 {
        self.pending.load(Ordering::Acquire)
    }

    /// Whether a request found no room since the last call.
    pub(crate) fn take_overflow(&self) -> bool {
        take_flag(&self.overflowed)
    }
}
