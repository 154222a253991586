//! How a fleet reaches the circuits of a registry.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::StateUpdate;

/// How a [`Fleet`](super::Fleet) reaches the circuits of the registry that it serves. Cheap to clone; it does not keep the
/// registry alive.
///
/// What is told of a connection that has no circuit here is of no interest, and nothing is made for it. Nothing here
/// waits for a call. The registry's hooks run on the thread that tells.
#[derive(Clone)]
pub struct Link(Weak<dyn Target>);

/// The circuits that a [`Link`] reaches, by connection. Implemented by the registry, so that the protocol is independent of
/// it.
pub(crate) trait Target: Send + Sync {
    fn update(&self, connection: &str, update: StateUpdate);
    /// Returns whether the circuit took the grant.
    fn grant(&self, connection: &str, era: u64, lease: Duration) -> bool;
    /// Returns whether the grant was unused.
    fn withdraw(&self, connection: &str, era: u64) -> bool;
    fn unavailable(&self, connection: &str);
    fn undelivered(&self, connection: &str, stamp: u64);
    fn expect_answer(&self, connection: &str);
    fn connections(&self) -> Vec<Arc<str>>;
}

impl Link {
    pub(crate) fn new(target: Weak<dyn Target>) -> Self {
        Self(target)
    }

    /// Tells a circuit how it stands in the fleet.
    pub fn update(&self, connection: &str, update: StateUpdate) {
        self.with(|circuits| circuits.update(connection, update));
    }

    /// Gives the circuit the right to probe, under a new era, for the rest of a lease. False where it has no use for it
    /// any more: then the grant has to be given back.
    #[must_use = "a grant that was not taken has to be given back"]
    pub fn grant(&self, connection: &str, era: u64, lease: Duration) -> bool {
        self.with(|circuits| circuits.grant(connection, era, lease)).unwrap_or(false)
    }

    /// Takes a grant back for which no call came. False where one did, and will conclude it.
    ///
    /// The next call of this process is then let through at once, and claims a grant while it is under way: otherwise a
    /// connection that is called too seldom would never be probed.
    #[must_use = "a grant that was taken back has to be given back"]
    pub fn withdraw(&self, connection: &str, era: u64) -> bool {
        self.with(|circuits| circuits.withdraw(connection, era)).unwrap_or(true)
    }

    /// The fleet cannot be asked: the circuit that wants to probe is on its own.
    pub fn unavailable(&self, connection: &str) {
        self.with(|circuits| circuits.unavailable(connection));
    }

    /// The verdict with this stamp did not reach the fleet. The circuit stays with it for now, and once it is told of
    /// nothing newer, tells it again.
    pub fn undelivered(&self, connection: &str, stamp: u64) {
        self.with(|circuits| circuits.undelivered(connection, stamp));
    }

    /// The fleet may have missed what a circuit told of failures and answers, or may hear of failures late: the circuit's
    /// next answer is told, so that failures from before it do not stay.
    pub fn expect_answer(&self, connection: &str) {
        self.with(|circuits| circuits.expect_answer(connection));
    }

    /// The keys of all circuits that are there, in no order.
    #[must_use]
    pub fn connections(&self) -> Vec<Arc<str>> {
        self.with(|circuits| circuits.connections()).unwrap_or_default()
    }

    /// Whether the registry is gone, and nobody will hear anything more.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }

    fn with<T>(&self, run: impl FnOnce(&dyn Target) -> T) -> Option<T> {
        self.0.upgrade().map(|circuits| run(&*circuits))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("gone", &self.is_gone()).finish()
    }
}
