//! Settings and time limits that the parts of a fleet share.

use std::time::Duration;

/// The time in which a connection must be established.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The interval of pings on an idle connection.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Which failures count together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// The failures of all processes form one streak, and an answer to any process clears it. A process that sees
    /// `failure_threshold` failures in a row itself also opens the circuit, whatever the other processes see.
    ///
    /// A circuit with a `failure_window` counts for itself, as with [`Scope::Process`].
    #[default]
    Fleet,
    /// Each process counts its own failures; only the open state and the probe are shared. Use it where one process
    /// must not add to the failures of the others, and must not hide its own behind their answers.
    Process,
}

/// Time limits of a fleet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) operation: Duration,
    pub(crate) poll: Duration,
}
