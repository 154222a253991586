//! Access of a fleet to the circuits of a registry.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::StateUpdate;

/// Access of a [`Fleet`](super::Fleet) to the circuits of the registry that it serves. Cheap to clone. It does not keep
/// the registry alive.
///
/// A connection without a circuit in this process is ignored, and no circuit is created for it. No method waits for a
/// call. The hooks of the registry run on the calling thread.
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

    /// Applies the fleet's state to a circuit.
    pub fn update(&self, connection: &str, update: StateUpdate) {
        self.with(|circuits| circuits.update(connection, update));
    }

    /// Grants the circuit a probe under a new era, for the rest of a lease. Returns `false` where the circuit has no
    /// use for it any more: return the grant to the fleet then.
    #[must_use = "a grant that was not taken has to be given back"]
    pub fn grant(&self, connection: &str, era: u64, lease: Duration) -> bool {
        self.with(|circuits| circuits.grant(connection, era, lease)).unwrap_or(false)
    }

    /// Withdraws a grant that no call has claimed. Returns `false` where a call has claimed it and will conclude it.
    ///
    /// The next call of this process then probes at once and claims a new grant while it is under way. Otherwise a
    /// connection that is rarely called would never be probed.
    #[must_use = "a grant that was taken back has to be given back"]
    pub fn withdraw(&self, connection: &str, era: u64) -> bool {
        self.with(|circuits| circuits.withdraw(connection, era)).unwrap_or(true)
    }

    /// Reports that the fleet cannot be asked. A circuit that wants to probe then probes without a grant.
    pub fn unavailable(&self, connection: &str) {
        self.with(|circuits| circuits.unavailable(connection));
    }

    /// Reports that the verdict with this stamp was not delivered. The circuit keeps its verdict and reports it again
    /// with the next update that is not newer.
    pub fn undelivered(&self, connection: &str, stamp: u64) {
        self.with(|circuits| circuits.undelivered(connection, stamp));
    }

    /// Makes the circuit report its next answer. Call it where the fleet may have missed reports, or may receive
    /// failures late, so that failures from before the answer do not remain.
    pub fn expect_answer(&self, connection: &str) {
        self.with(|circuits| circuits.expect_answer(connection));
    }

    /// Returns the keys of all circuits in the registry, in no particular order.
    #[must_use]
    pub fn connections(&self) -> Vec<Arc<str>> {
        self.with(|circuits| circuits.connections()).unwrap_or_default()
    }

    /// Whether the registry was dropped.
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
