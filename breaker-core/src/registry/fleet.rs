//! The circuits of a registry, as a fleet reaches them.

use std::sync::{Arc, RwLock, Weak};
use std::time::Duration;

use super::map;
use super::part::Part;
use super::{Registry, RegistryState};
use crate::circuit::{Circuit, Inner};
use crate::fleet::{StateUpdate, Target};

impl Registry {
    pub(super) fn link_target(&self) -> Weak<dyn Target> {
        let state: Weak<RegistryState> = Arc::downgrade(&self.0);
        state
    }
}

impl RegistryState {
    /// Runs a function on the circuit of this key, idle or not, if there is one. The look-up does not count as a use of
    /// the circuit.
    fn with_circuit<T>(&self, key: &str, run: impl FnOnce(&Inner) -> T) -> Option<T> {
        // The map is unlocked before the function runs, because it may run hooks.
        let hash = self.circuits.hash(key.as_bytes());
        let circuit = self.circuits.read(hash).find(hash, key.as_bytes()).cloned()?;
        Some(run(circuit.inner()))
    }
}

impl Target for RegistryState {
    fn update(&self, connection: &str, update: StateUpdate) {
        self.with_circuit(connection, |circuit| circuit.apply_update(update));
    }

    fn grant(&self, connection: &str, era: u64, lease: Duration) -> bool {
        self.with_circuit(connection, |circuit| circuit.grant(era, lease)).unwrap_or(false)
    }

    fn withdraw(&self, connection: &str, era: u64) -> bool {
        self.with_circuit(connection, |circuit| circuit.withdraw(era)).unwrap_or(true)
    }

    fn unavailable(&self, connection: &str) {
        self.with_circuit(connection, Inner::mark_unavailable);
    }

    fn undelivered(&self, connection: &str, stamp: u64) {
        self.with_circuit(connection, |circuit| circuit.mark_undelivered(stamp));
    }

    fn expect_answer(&self, connection: &str) {
        self.with_circuit(connection, Inner::expect_answer);
    }

    fn connections(&self) -> Vec<Arc<str>> {
        let listed = |part: &RwLock<Part>| {
            let part = map::read(part);
            let listed = part.circuits().map(Circuit::inner).filter(|circuit| circuit.is_listed());
            listed.map(|circuit| circuit.connection().clone()).collect::<Vec<_>>()
        };
        self.circuits.parts().iter().flat_map(listed).collect()
    }
}
