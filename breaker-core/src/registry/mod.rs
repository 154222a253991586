//! All circuits of a process, by key.

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
/// A circuit comes into being when its connection is first asked for, and goes when nobody called it for
/// [`idle_after`](RegistryBuilder::idle_after). One that somebody still holds a handle to stays the one circuit of its
/// key.
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

/// By key, which a circuit knows itself.
type Circuits = DashMap<CircuitEntry, (), foldhash::fast::RandomState>;
type ConfigWith = Box<dyn Fn(&str) -> Option<Config> + Send + Sync>;

impl Registry {
    /// A registry whose circuits all have this configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        RegistryBuilder::default().config(config).finish()
    }

    /// Starts from the defaults.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The circuit of a connection; a closed one is made where there is none yet.
    ///
    /// A connection that holds its circuit itself is not looked up.
    #[must_use]
    pub fn circuit<C: Connection + ?Sized>(&self, connection: &C) -> Circuit {
        match connection.circuit() {
            Some(circuit) => circuit.clone(),
            None => self.look_up(&connection.key()).into_owned(),
        }
    }

    /// The circuit of a connection, if there is one. Asking does not keep it from going idle.
    #[must_use]
    pub fn get<C: Connection + ?Sized>(&self, connection: &C) -> Option<Circuit> {
        if let Some(circuit) = connection.circuit() {
            return Some(circuit.clone());
        }
        let now = self.now();
        let found = self.0.circuits.get(connection.key().as_str())?;
        self.is_present(found.key(), now).then(|| found.key().circuit().clone())
    }

    /// Closes the circuit of a connection at once, for instance when it was reconnected. False if there is none.
    ///
    /// Results of calls from before the reset change nothing.
    pub fn reset<C: Connection + ?Sized>(&self, connection: &C) -> bool {
        let circuit = self.get(connection);
        if let Some(circuit) = &circuit {
            circuit.reset();
        }
        circuit.is_some()
    }

    /// Forgets the circuit of a connection, for instance when that was deleted. False if there is none.
    ///
    /// A [fleet](crate::fleet) absorb nothing of it. Where somebody still holds a handle, the circuit is reset and no longer listed; should the connection be asked
    /// for again meanwhile, it is that same circuit, so that there never are two for one key.
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

    /// What each circuit looks like at this moment, in no order. Taking them changes nothing, and stops no caller for
    /// longer than it takes to look at a part of the registry.
    #[must_use]
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.present(|circuit, now| circuit.inner().snapshot(now)).collect()
    }

    /// The number of circuits. Counting them looks at each.
    #[must_use]
    pub fn len(&self) -> usize {
        self.present(|_, _| ()).count()
    }

    /// Whether there is no circuit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks at each circuit while the map is locked there, so `look` must not call anything of the user's.
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

    // The caller knows what kind of key it has, and need not make it whole to ask the cache.
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

    // It works out anew what the common way knew, which need not keep it for this one.
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

/// The caches keep no circuit for longer than its registry.
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

/// As for a [`Circuit`]: a panic, be it of a hook or of a function of the user's, leaves nothing half changed.
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
