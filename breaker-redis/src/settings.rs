//! The settings that a running fleet reads.

use std::time::Duration;

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

/// The settings of a [`FleetBuilder`](crate::FleetBuilder) that name neither the server nor its keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) scope: Scope,
    pub(crate) operation_limit: Duration,
    pub(crate) poll_every: Duration,
    pub(crate) queue: usize,
}
