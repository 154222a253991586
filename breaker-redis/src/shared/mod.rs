//! The state that the threads of calls share with the thread of the fleet.
//!
//! A circuit publishes its reports on the thread of a call, so nothing here waits for the server. Each request ends in
//! one of two ways:
//!
//! | report of the circuit | the server answers | the request is dropped |
//! |---|---|---|
//! | `Failed`, `Answered` | `Link::update` | `Link::expect_answer` once the server is back |
//! | a verdict, which has a stamp | `Link::update` that answers the stamp | `Link::undelivered`: the circuit keeps its verdict, and reports it again with the next update that is not newer |
//! | `ProbeWanted` | `Link::grant`, or `Link::update` | `Link::unavailable`: the circuit probes without a grant |
//! | `ProbeDropped` | `Link::update` | the grant ends with its lease |
//! | `Joined`, and reads of a comparison | `Link::update` | the next comparison reads the state |
//!
//! A server that is merely slow may still carry out a request after it was dropped. This does no harm:
//!
//! - A verdict that arrives twice is refused the second time, because the first one began a new era. A command, such as
//!   a reset, is reported again only by a circuit that has received no newer state.
//! - A failure that was counted after all is cleared by the answer that the circuit reports next.
//! - A late grant is used by a circuit that still wants to probe, and returned otherwise.

mod connection_state;
mod queue;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use breaker_core::fleet::{Change, CircuitReport, Link};
use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;

use crate::event::{self, FleetEvent, Hook};
use crate::metrics::{Counters, FleetSnapshot};
use crate::protocol::{LongNames, Namespace, Operation, Reply, WireState};
use crate::settings::{Scope, Settings};
use connection_state::{ConnectionState, Connectivity};
use queue::RequestQueue;

pub(crate) use queue::Request;

/// The number of remembered connections from which on all connections are meant.
pub(crate) const MANY_CONNECTIONS: usize = 1_024;

/// A probe grant that a circuit of this process has accepted.
#[must_use = "a grant that no call uses has to be returned"]
pub(crate) struct AcceptedGrant {
    pub(crate) connection: Arc<str>,
    pub(crate) era: u64,
    pub(crate) lease: Duration,
}

/// The state that the handle, the worker and the subscriber of a fleet share.
pub(crate) struct FleetShared {
    pub(crate) namespace: Namespace,
    pub(crate) settings: Settings,
    pub(crate) names: LongNames,
    pub(crate) counters: Counters,
    /// Wakes the worker to compare all circuits with the server.
    pub(crate) compare: Notify,
    link: OnceLock<Link>,
    queue: RequestQueue,
    connectivity: Connectivity,
    hooks: Vec<Hook>,
    /// Connections whose failures or answers did not reach the server. These reports have no stamp, so their circuits
    /// do not repeat them. If there are too many connections, all are meant.
    missed: Mutex<HashSet<Arc<str>>>,
}

impl FleetShared {
    pub(crate) fn new(namespace: Namespace, settings: Settings, hooks: Vec<Hook>) -> (Arc<Self>, Receiver<Request>) {
        let (queue, requests) = RequestQueue::new(settings.queue);
        let shared = Self {
            namespace,
            settings,
            names: LongNames::default(),
            counters: Counters::default(),
            compare: Notify::new(),
            link: OnceLock::new(),
            queue,
            connectivity: Connectivity::new(),
            hooks,
            missed: Mutex::default(),
        };
        (Arc::new(shared), requests)
    }

    /// Sets the registry that is served. Returns `false` if there is one already.
    pub(crate) fn serve(&self, link: Link) -> bool {
        let is_first = self.link.set(link).is_ok();
        self.compare.notify_one();
        is_first
    }

    pub(crate) fn link(&self) -> Option<&Link> {
        self.link.get()
    }

    /// Queues the report of a circuit.
    pub(crate) fn accept_report(&self, report: CircuitReport) {
        let CircuitReport { connection, era, change, stamp, .. } = report;
        let operation = match change {
            Change::Joined => Operation::Read,
            Change::Failed { .. } | Change::Answered if self.settings.scope == Scope::Process => return,
            change => Operation::Report(change),
        };
        self.enqueue(Request { connection, era, operation, stamp });
    }

    /// Queues a request without waiting. It is dropped if the server is lost, because it would only wait then, or if
    /// the queue is full.
    fn enqueue(&self, request: Request) {
        self.queue.start();
        if self.connectivity.state() == ConnectionState::Lost {
            return self.drop_request(&request);
        }
        if let Err(request) = self.queue.send(request) {
            self.counters.overflowed.add(1);
            self.drop_request(&request);
        }
    }

    /// Drops a request, and notifies its circuit that there will be no reply: see the table of the [module](self).
    pub(crate) fn drop_request(&self, request: &Request) {
        self.counters.dropped.add(1);
        self.notify_dropped(request);
        self.queue.finish();
    }

    fn notify_dropped(&self, request: &Request) {
        let Some(link) = self.link() else { return };
        if matches!(request.operation, Operation::Report(Change::Failed { .. } | Change::Answered)) {
            let mut missed = self.missed();
            if missed.len() < MANY_CONNECTIONS {
                missed.insert(request.connection.clone());
            }
        }
        if let Some(stamp) = request.stamp {
            link.undelivered(&request.connection, stamp);
        }
        if matches!(request.operation, Operation::Report(Change::ProbeWanted { .. })) {
            link.unavailable(&request.connection);
        }
    }

    /// Makes circuits report their next answer where the server may have received a failure and missed the answer after
    /// it. Otherwise that failure would stay in the streak of a healthy circuit.
    fn expect_missed_answers(&self) {
        let missed = std::mem::take(&mut *self.missed());
        let Some(link) = self.link() else { return };
        let all = if missed.len() < MANY_CONNECTIONS { missed.into_iter().collect() } else { link.connections() };
        for connection in all {
            link.expect_answer(&connection);
        }
    }

    fn missed(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request that does not come through the queue, such as one of a comparison.
    pub(crate) fn start_request(&self) {
        self.queue.start();
    }

    /// Counts a request as answered.
    pub(crate) fn finish_request(&self) {
        self.queue.finish();
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.queue.pending() == 0
    }

    /// Whether a request found no room in the queue since the last call.
    pub(crate) fn take_overflow(&self) -> bool {
        self.queue.take_overflow()
    }

    /// Applies a reply to its circuit, possibly a late one. Returns the grant in it if the circuit accepts the grant. A
    /// circuit that has changed since its request does not, and then the grant is returned to the server.
    pub(crate) fn deliver_reply(&self, request: &Request, reply: Reply) -> Option<AcceptedGrant> {
        let link = self.link()?;
        let connection = &request.connection;
        match reply {
            Reply::State(state) => {
                link.update(connection, state.to_update(request.stamp));
                None
            }
            Reply::Granted { era, lease } => {
                self.counters.grants.add(1);
                if link.grant(connection, era, lease) {
                    return Some(AcceptedGrant { connection: connection.clone(), era, lease });
                }
                self.return_grant(connection, era);
                None
            }
        }
    }

    /// Returns an unused grant to the server, so that it does not keep other processes from probing.
    pub(crate) fn return_grant(&self, connection: &Arc<str>, era: u64) {
        self.counters.grants_returned.add(1);
        let operation = Operation::Report(Change::ProbeDropped);
        self.enqueue(Request { connection: connection.clone(), era: Some(era), operation, stamp: None });
    }

    /// Applies a state that another process published.
    pub(crate) fn apply_message(&self, name: &str, state: WireState) {
        self.counters.messages.add(1);
        if let (Some(link), Some(connection)) = (self.link(), self.names.connection_of(name)) {
            link.update(&connection, state.to_update(None));
        }
    }

    pub(crate) fn on_connected(&self) {
        // Before the state changes, so that it is done once a snapshot says `connected`.
        self.expect_missed_answers();
        let before = self.connectivity.replace_state(ConnectionState::Connected);
        let dropped = self.counters.dropped.get();
        self.publish_event(&match before {
            ConnectionState::Lost => FleetEvent::Recovered { dropped },
            ConnectionState::Starting | ConnectionState::Connected => FleetEvent::Connected,
        });
    }

    pub(crate) fn on_lost(&self, reason: String) {
        if self.connectivity.replace_state(ConnectionState::Lost) != ConnectionState::Lost {
            self.counters.losses.add(1);
            self.publish_event(&FleetEvent::Lost { reason });
        }
    }

    pub(crate) fn on_refused(&self, reason: String) {
        self.counters.errors.add(1);
        if self.connectivity.refuse() {
            self.publish_event(&FleetEvent::Refused { reason });
        }
    }

    /// The server carried out a write.
    pub(crate) fn on_accepted(&self) {
        if self.connectivity.accept() {
            self.expect_missed_answers();
        }
    }

    pub(crate) fn end_refusal(&self) {
        if self.connectivity.end_refusal() {
            self.publish_event(&FleetEvent::Accepted);
        }
    }

    pub(crate) fn on_subscribed(&self) {
        if self.connectivity.subscribe() {
            self.publish_event(&FleetEvent::Subscribed);
        }
        // Messages from before the subscription were missed.
        self.compare.notify_one();
    }

    pub(crate) fn on_unsubscribed(&self, reason: String) {
        if self.connectivity.unsubscribe() {
            self.publish_event(&FleetEvent::Unsubscribed { reason });
        }
    }

    fn publish_event(&self, event: &FleetEvent) {
        event::notify(&self.hooks, event);
    }

    pub(crate) fn snapshot(&self) -> FleetSnapshot {
        FleetSnapshot {
            connected: self.connectivity.state() == ConnectionState::Connected,
            refused: self.connectivity.is_refused(),
            subscribed: self.connectivity.is_subscribed(),
            waiting: self.queue.pending(),
            ..self.counters.snapshot()
        }
    }
}
