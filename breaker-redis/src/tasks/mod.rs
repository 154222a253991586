//! The tasks on the thread of a fleet: the worker sends requests, and the subscriber receives messages.
//!
//! Each has a connection of its own, because Redis accepts no other commands on a connection with a subscription.

mod subscriber;
mod worker;

use std::time::Duration;

pub(crate) use subscriber::run as run_subscriber;
pub(crate) use worker::run as run_worker;

/// The time in which a connection or a subscription must be established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The interval of pings. In an idle process, only a ping notices a server that stopped without closing its
/// connections.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
