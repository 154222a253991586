//! The registry: all circuits of a process, by key.

mod builder;
mod cache;
mod entry;
mod eviction;
mod fleet;
mod global;
#[cfg(feature = "metrics")]
mod metrics;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;

pub use builder::RegistryBuilder;
pub use global::GlobalAlreadySet;
#[cfg(feature = "testing")]
pub(crate) use global::replace_global;
#[cfg(feature = "metrics")]
pub(crate) use metrics::Activity;

use crate::circuit::{CachedHandle, Circuit, CircuitContext, Connection, HeldCircuit};
use crate::clock::Time;
use crate::config::Config;
use crate::event::{Reason, Snapshot};
use crate::key::Key;

use cache::Wanted;
use entry::CircuitEntry;
use eviction::Eviction;

/// All circuits of a process, by the key of their connection, with their configuration. Cheap to clone: clones are the
/// same registry.
///
/// A circuit is created when its connection is first looked up, and evicted after
/// [`idle_after`](RegistryBuilder::idle_after) without a call. While a handle is held, the circuit stays the only one
/// of its key.
///
/// ```
/// use breaker_core::{Config, Registry, State};
///
/// let registry = Registry::new(Config::default());
/// let circuit = registry.circuit("shop-7");
/// circuit.hold_open();
/// assert_eq!(registry.circuit("shop-7").state(), State::Open);
/// assert_eq!(registry.circuit("shop-8").state(), State::Closed);
/// assert!(registry.reset("shop-7"));
/// assert_eq!(circuit.state(), State::Closed);
/// ```
#[derive(Clone)]
pub struct Registry(Arc<RegistryState>);

struct RegistryState {
    circuits: Circuits,
    config: Config,
    config_for: HashMap<Box<str>, Config>,
    config_with: Option<ConfigWith>,
    eviction: Eviction,
    context: Arc<CircuitContext>,
}

/// Circuits by key. A circuit stores its own key.
type Circuits = DashMap<CircuitEntry, (), foldhash::fast::RandomState>;
type ConfigWith = Box<dyn Fn(&str) -> Option<Config> + Send + Sync>;

impl Registry {
    /// Creates a registry whose circuits all have this configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        RegistryBuilder::default().config(config).finish()
    }

    /// Starts a builder with the defaults.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Returns the circuit of a connection, and creates a closed one if there is none.
    ///
    /// A connection that stores its circuit is not looked up.
    #[must_use]
    pub fn circuit<C: Connection + ?Sized>(&self, connection: &C) -> Circuit {
        match connection.circuit() {
            Some(circuit) => circuit.clone(),
            None => self.look_up(&connection.key()).into_owned(),
        }
    }

    /// Returns the circuit of a connection, if there is one. This does not count as a use of the circuit.
    #[must_use]
    pub fn get<C: Connection + ?Sized>(&self, connection: &C) -> Option<Circuit> {
        if let Some(circuit) = connection.circuit() {
            return Some(circuit.clone());
        }
        let now = self.now();
        let found = self.0.circuits.get(connection.key().as_str())?;
        self.is_present(found.key(), now).then(|| found.key().circuit().clone())
    }

    /// Closes the circuit of a connection at once, for example after a reconnect. Returns `false` if there is none.
    ///
    /// Results of calls from before the reset are ignored.
    pub fn reset<C: Connection + ?Sized>(&self, connection: &C) -> bool {
        let circuit = self.get(connection);
        if let Some(circuit) = &circuit {
            circuit.reset();
        }
        circuit.is_some()
    }

    /// Removes the circuit of a connection, for example after the connection was deleted. Returns `false` if there is
    /// none.
    ///
    /// A [fleet](crate::fleet) is not notified. While a handle is held, the circuit is reset and no longer listed. If
    /// the connection is looked up again meanwhile, the same circuit is returned, so that a key never has two.
    pub fn remove<C: Connection + ?Sized>(&self, connection: &C) -> bool {
        let Some(circuit) = self.get(connection) else { return false };
        circuit.inner().set_listed(false);
        circuit.inner().reset_locally();
        let key = Key::from(circuit.connection()).into_owned();
        drop(circuit);
        self.0
            .circuits
            .remove_if(key.as_str(), |circuit, ()| !circuit.inner().is_listed() && eviction::is_unheld(circuit));
        true
    }

    /// Takes a snapshot of each circuit, in no particular order, without side effects. A part of the map is locked at a
    /// time, so no caller waits for the whole.
    #[must_use]
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.present(|circuit, now| circuit.inner().snapshot(now)).collect()
    }

    /// Returns the number of circuits. It visits each of them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.present(|_, _| ()).count()
    }

    /// Whether there is no circuit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Visits each circuit while a part of the map is locked, so `look` must not call code of the user's.
    fn present<T>(&self, look: impl Fn(&Circuit, Time) -> T) -> impl Iterator<Item = T> {
        let now = self.now();
        self.0
            .circuits
            .iter()
            .filter(move |entry| self.is_present(entry.key(), now))
            .map(move |entry| look(entry.key(), now))
    }

    fn is_present(&self, circuit: &Circuit, now: Time) -> bool {
        circuit.inner().is_listed() && !self.0.eviction.is_gone(circuit, now)
    }

    pub(crate) fn now(&self) -> Time {
        self.0.context.time.now()
    }

    // Inlined, because the caller knows the kind of its key and can compare it with the cache without building the
    // whole key.
    #[expect(clippy::inline_always, reason = "every call by key starts here")]
    #[inline(always)]
    pub(crate) fn look_up(&self, key: &Key<'_>) -> HeldCircuit<'static> {
        match self.find_in_cache(key.bytes()) {
            Some(handle) => HeldCircuit::Cached(handle),
            None => HeldCircuit::Owned(self.look_up_in_map(key.as_str())),
        }
    }

    #[inline(never)]
    fn find_in_cache(&self, key: &[u8]) -> Option<Arc<CachedHandle>> {
        let shared = &*self.0;
        cache::find(shared.wanted(key), &shared.eviction, shared.context.time.read())
    }

    // Computes the hash again, so that the common path need not keep it.
    #[cold]
    fn look_up_in_map(&self, key: &str) -> Circuit {
        let shared = &*self.0;
        let now = shared.context.time.read();
        if let Some(found) = shared.circuits.get(key) {
            let found = found.key().circuit();
            if !shared.eviction.is_gone(found, now.time()) {
                found.inner().touch(now.time());
                cache::insert(shared.wanted(key.as_bytes()), found, now);
                return found.clone();
            }
        }
        self.insert(key, now.time())
    }

    fn insert(&self, key: &str, now: Time) -> Circuit {
        let shared = &*self.0;
        // The user's function runs before the map is locked.
        let config = shared.config_of(key);
        let fresh = Circuit::of(key.into(), config, shared.context.clone(), now);
        let circuit = match shared.circuits.entry(CircuitEntry::new(fresh.clone())) {
            Entry::Vacant(vacant) => {
                vacant.insert(());
                fresh
            }
            Entry::Occupied(occupied) => {
                if shared.eviction.is_gone(occupied.key(), now) {
                    occupied.replace_entry(());
                    fresh.inner().report_joined();
                    return fresh;
                }
                let circuit = occupied.key().circuit().clone();
                circuit.inner().touch(now);
                return circuit;
            }
        };
        if shared.eviction.make_room(&shared.circuits, &shared.context, now) {
            circuit.inner().publish_event(Reason::OverCapacity);
        }
        circuit.inner().report_joined();
        circuit
    }
}

/// Removes the circuits of this registry from all caches.
impl Drop for RegistryState {
    fn drop(&mut self) {
        cache::evict_all(&self.context);
    }
}

impl RegistryState {
    #[inline]
    fn wanted<'k>(&'k self, key: &'k [u8]) -> Wanted<'k> {
        let mut hasher = self.circuits.hasher().build_hasher();
        hasher.write(key);
        Wanted { hash: hasher.finish(), key, context: &self.context }
    }

    fn config_of(&self, key: &str) -> Config {
        let special = self.config_for.get(key).cloned();
        special
            .or_else(|| self.config_with.as_ref().and_then(|config| config(key)))
            .unwrap_or_else(|| self.config.clone())
    }
}

/// A panic, of a hook or of another function of the user's, never leaves a registry half changed.
impl UnwindSafe for Registry {}
impl RefUnwindSafe for Registry {}

impl AsRef<Registry> for Registry {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("circuits", &self.0.circuits.len()).finish_non_exhaustive()
    }
}
