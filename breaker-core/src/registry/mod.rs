//! The registry: circuits by the key of their connection, with their configuration and eviction.

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
use crate::clock::{Time, TimeSource};
use crate::config::Config;
use crate::event::{Reason, Snapshot};
use crate::key::Key;

use cache::CacheKey;
use entry::CircuitEntry;
use eviction::Eviction;

/// The circuits of a process, by the key of their connection, with their configuration.
///
/// Cloning is cheap, and clones are the same registry. Most programs have one registry and make it the
/// [global](Self::set_global) one, which annotated functions use by default.
///
/// [`circuit`](Self::circuit) creates a circuit at the first look-up of its connection. The registry evicts circuits
/// that were not used for [`idle_after`](RegistryBuilder::idle_after), and the longest idle ones over its
/// [`capacity`](RegistryBuilder::capacity). A circuit of which a caller holds a handle is never evicted, so there is at
/// most one circuit of each key at any time.
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

/// Circuits by key. A circuit stores its own key, so the map has no values.
type Circuits = DashMap<CircuitEntry, (), foldhash::fast::RandomState>;
type ConfigWith = Box<dyn Fn(&str) -> Option<Config> + Send + Sync>;

impl Registry {
    /// Creates a registry whose circuits all have this configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        RegistryBuilder::default().config(config).finish()
    }

    /// Creates a builder with the default settings.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Returns the circuit of a connection. If none exists, a closed one is created.
    ///
    /// If the connection [stores its circuit](Connection::circuit), that circuit is returned without a look-up, whether it
    /// is in this registry, in another one or in none. A guarded call treats such a connection in the same way. The
    /// other methods act only on circuits of this registry.
    #[must_use]
    pub fn circuit<C: Connection + ?Sized>(&self, connection: &C) -> Circuit {
        match connection.circuit() {
            Some(circuit) => circuit.clone(),
            None => self.look_up(&connection.key()).into_owned(),
        }
    }

    /// Returns the circuit of a connection, or `None` if it was never looked up or has been evicted. A connection that
    /// [stores a circuit](Connection::circuit) of another registry, or of none, has no circuit here.
    ///
    /// Unlike [`circuit`](Self::circuit), this creates no circuit and does not count as a use, so it does not delay the
    /// eviction of an idle circuit.
    #[must_use]
    pub fn get<C: Connection + ?Sized>(&self, connection: &C) -> Option<Circuit> {
        if let Some(circuit) = connection.circuit() {
            // A caller holds this handle, so the registry has not evicted the circuit.
            let is_own = circuit.inner().is_in(&self.0.context) && circuit.inner().is_listed();
            return is_own.then(|| circuit.clone());
        }
        let now = self.now();
        let found = self.0.circuits.get(connection.key().as_str())?;
        self.is_present(found.key(), now).then(|| found.key().circuit().clone())
    }

    /// Closes the circuit of a connection at once, for example after the user has entered new credentials. Returns
    /// `false` if the registry has no circuit of this connection.
    ///
    /// Results of calls from before the reset are ignored: see [`Circuit::reset`]. As for [`get`](Self::get), a circuit of
    /// another registry is not reset.
    pub fn reset<C: Connection + ?Sized>(&self, connection: &C) -> bool {
        let circuit = self.get(connection);
        if let Some(circuit) = &circuit {
            circuit.reset();
        }
        circuit.is_some()
    }

    /// Removes the circuit of a connection, for example after the connection was deleted. Returns `false` if the
    /// registry has no circuit of this connection.
    ///
    /// If a caller holds a handle, the circuit is reset and disappears from [`snapshots`](Self::snapshots) and
    /// [`len`](Self::len) at once, and its memory is freed after the last handle was dropped. If the connection is
    /// looked up by its key before that, the same circuit is returned and listed again, so that a key never has two circuits. A
    /// connection that stores its [`Circuit`] needs no look-up, so its calls go on in the removed circuit, which
    /// [`get`](Self::get) and [`reset`](Self::reset) do not find: look it up by its key, or use the circuit itself.
    ///
    /// As for [`get`](Self::get), a circuit of another registry is not removed:
    ///
    /// ```
    /// use breaker_core::{Config, Registry, State};
    ///
    /// let (shops, crms) = (Registry::new(Config::default()), Registry::new(Config::default()));
    /// let shop = shops.circuit("shop-7");
    /// shop.hold_open();
    /// assert!(!crms.remove(&shop) && !crms.reset(&shop));
    /// assert_eq!((shop.state(), shops.len()), (State::Open, 1));
    /// assert!(shops.remove(&shop));
    /// ```
    ///
    /// A [fleet](crate::fleet) is not notified.
    pub fn remove<C: Connection + ?Sized>(&self, connection: &C) -> bool {
        let Some(circuit) = self.get(connection) else { return false };
        circuit.inner().mark_removed();
        circuit.inner().reset_locally();
        let key = Key::from(circuit.connection()).into_owned();
        drop(circuit);
        self.0
            .circuits
            .remove_if(key.as_str(), |circuit, ()| !circuit.inner().is_listed() && eviction::is_unheld(circuit));
        true
    }

    /// Takes a snapshot of each circuit, in no particular order and without side effects.
    ///
    /// It locks one part of the registry at a time, so calls wait for a part at most. The snapshots are therefore not
    /// all of the same instant.
    #[must_use]
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.present(|circuit, now| circuit.inner().snapshot(now)).collect()
    }

    /// The number of circuits. It takes time in proportion to that number, because idle circuits are not counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.present(|_, _| ()).count()
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Visits each circuit that is neither removed nor idle. A part of the map is locked during each visit, so `visit`
    /// must not call code of the user's.
    fn present<T>(&self, visit: impl Fn(&Circuit, Time) -> T) -> impl Iterator<Item = T> {
        let now = self.now();
        self.0
            .circuits
            .iter()
            .filter(move |entry| self.is_present(entry.key(), now))
            .map(move |entry| visit(entry.key(), now))
    }

    fn is_present(&self, circuit: &Circuit, now: Time) -> bool {
        circuit.inner().is_listed() && !self.0.eviction.is_expired(circuit, now)
    }

    pub(crate) fn time_source(&self) -> &TimeSource {
        &self.0.context.time
    }

    pub(crate) fn now(&self) -> Time {
        self.time_source().now()
    }

    // Inlined, so that the compiler sees how the caller built its key. A look-up in the cache needs only the key's
    // bytes.
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
        let state = &*self.0;
        cache::find(state.cache_key(key), &state.eviction, state.context.time.read())
    }

    // Reads the time and computes the hash again, so that the common path does not keep them for this call.
    #[cold]
    fn look_up_in_map(&self, key: &str) -> Circuit {
        let state = &*self.0;
        let now = state.context.time.read();
        if let Some(found) = state.circuits.get(key) {
            let found = found.key().circuit();
            if !state.eviction.is_expired(found, now.time()) {
                found.inner().touch(now.time());
                cache::insert(state.cache_key(key.as_bytes()), found, now);
                return found.clone();
            }
        }
        self.insert(key, now.time())
    }

    fn insert(&self, key: &str, now: Time) -> Circuit {
        let state = &*self.0;
        // `config_with` is code of the user's, so it runs before a part of the map is locked.
        let config = state.config_of(key);
        let created = Circuit::in_context(key.into(), config, state.context.clone(), now);
        let circuit = match state.circuits.entry(CircuitEntry::new(created.clone())) {
            Entry::Vacant(vacant) => {
                vacant.insert(());
                created
            }
            Entry::Occupied(occupied) => {
                if state.eviction.is_expired(occupied.key(), now) {
                    occupied.replace_entry(());
                    created.inner().report_joined();
                    return created;
                }
                let circuit = occupied.key().circuit().clone();
                circuit.inner().touch(now);
                return circuit;
            }
        };
        if state.eviction.make_room(&state.circuits, &state.context, now) {
            circuit.inner().publish_event(Reason::OverCapacity);
        }
        circuit.inner().report_joined();
        circuit
    }
}

/// Evicts the circuits from the caches of all threads, which would keep them in memory after their registry.
impl Drop for RegistryState {
    fn drop(&mut self) {
        cache::evict_all(&self.context);
    }
}

impl RegistryState {
    #[inline]
    fn cache_key<'k>(&'k self, bytes: &'k [u8]) -> CacheKey<'k> {
        let mut hasher = self.circuits.hasher().build_hasher();
        hasher.write(bytes);
        CacheKey { hash: hasher.finish(), bytes, context: &self.context }
    }

    fn config_of(&self, key: &str) -> Config {
        let specific = self.config_for.get(key).cloned();
        specific
            .or_else(|| self.config_with.as_ref().and_then(|config| config(key)))
            .unwrap_or_else(|| self.config.clone())
    }
}

/// A panic never leaves a registry half changed, whether it comes from a hook or from another function of the user's.
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
