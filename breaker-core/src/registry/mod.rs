//! The registry: circuits by the key of their connection, with their configuration and eviction.

mod builder;
mod cache;
mod cache_key;
mod eviction;
mod fleet;
mod global;
mod map;
#[cfg(feature = "metrics")]
mod metrics;
mod part;
mod same_bytes;

use std::collections::HashMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

pub use builder::RegistryBuilder;
pub use global::GlobalAlreadySet;
#[cfg(feature = "testing")]
pub(crate) use global::replace_global;
#[cfg(feature = "metrics")]
pub(crate) use metrics::Activity;

use crate::circuit::{CachedHandle, Circuit, CircuitContext, Connection, HeldCircuit};
use crate::clock::{Reading, SystemClock, Time, TimeSource};
use crate::config::Config;
use crate::event::{Reason, Snapshot};
use crate::key::Key;

use cache::{Found, Group};
use cache_key::SHORT;
use eviction::Eviction;
use map::CircuitMap;
use part::Part;
use same_bytes::same_bytes;

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
    circuits: CircuitMap,
    config: Config,
    config_for: HashMap<Box<str>, Config>,
    config_with: Option<ConfigWith>,
    eviction: Eviction,
    context: Arc<CircuitContext>,
}

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
        let key = connection.key();
        let hash = self.0.circuits.hash(key.bytes());
        let part = self.0.circuits.read(hash);
        let found = part.find(hash, key.bytes())?;
        self.is_present(&part, found, now).then(|| found.clone())
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
        let hash = self.0.circuits.hash_of(&circuit);
        let identity = circuit.inner().identity();
        drop(circuit);
        let mut part = self.0.circuits.write(hash);
        // If a caller holds a handle, the circuit stays in the map until it is dropped.
        let removed = part.position_of(hash, identity).and_then(|position| {
            self.0.circuits.take_unused(&mut part, position, |circuit| !circuit.inner().is_listed())
        });
        drop(part);
        drop(removed);
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
    /// must not call code of the user's. No part is locked while the results are used.
    fn present<T>(&self, visit: impl Fn(&Circuit, Time) -> T) -> impl Iterator<Item = T> {
        let now = self.now();
        self.0.circuits.parts().iter().flat_map(move |part| {
            let part = map::read(part);
            let present = part.circuits().filter(|circuit| self.is_present(&part, circuit, now));
            present.map(|circuit| visit(circuit, now)).collect::<Vec<_>>()
        })
    }

    fn is_present(&self, part: &Part, circuit: &Circuit, now: Time) -> bool {
        circuit.inner().is_listed() && !self.0.eviction.is_expired(part, circuit, now)
    }

    pub(crate) fn time_source(&self) -> &TimeSource {
        &self.0.context.time
    }

    pub(crate) fn now(&self) -> Time {
        self.time_source().now()
    }

    // Inlined, so that the compiler sees how the caller built its key. A look-up needs only the key's bytes.
    #[expect(clippy::inline_always, reason = "every call by key starts here")]
    #[inline(always)]
    pub(crate) fn look_up(&self, key: &Key<'_>) -> HeldCircuit<'static> {
        self.0.look_up(key.bytes())
    }
}

impl RegistryState {
    // Other paths are functions of their own, so that the compiler saves few registers here.
    #[inline(never)]
    fn look_up(&self, key: &[u8]) -> HeldCircuit<'static> {
        let Some(clock) = self.eviction.clock_of_ticks() else { return self.look_up_precisely(key) };
        if key.len() > SHORT {
            return self.look_up_long(key, clock);
        }
        let cache_key = || self.circuits.short_cache_key(key);
        match cache::find_at(clock.read(), cache_key, |handle, now| self.is_usable(handle.circuit(), now)) {
            Found::Usable(handle) => HeldCircuit::Cached(handle),
            Found::Unusable(handle, now) => self.look_up_anew(key, now, handle),
            Found::Nothing(cache_key, now, group) => self.look_up_in_map(cache_key.hash(), key, now, group),
            Found::Unknown => self.look_up_precisely(key),
        }
    }

    /// Looks up a key whose text has to be compared.
    #[inline(never)]
    fn look_up_long(&self, key: &[u8], clock: SystemClock) -> HeldCircuit<'static> {
        let cache_key = || Some(self.circuits.long_cache_key(key));
        let is_usable =
            |handle: &CachedHandle, now| has_key(handle.circuit(), key) && self.is_usable(handle.circuit(), now);
        match cache::find_at(clock.read(), cache_key, is_usable) {
            Found::Usable(handle) => HeldCircuit::Cached(handle),
            Found::Unusable(handle, now) => self.look_up_anew(key, now, handle),
            Found::Nothing(cache_key, now, group) => self.look_up_in_map(cache_key.hash(), key, now, group),
            Found::Unknown => self.look_up_precisely(key),
        }
    }

    /// Looks up a key without a tick, and starts another tick.
    #[inline(never)]
    fn look_up_precisely(&self, key: &[u8]) -> HeldCircuit<'static> {
        let reading = self.context.time.read();
        let now = reading.time();
        if let Reading::System(reading) = reading {
            cache::start_tick(reading, now);
        }
        let cache_key = self.circuits.cache_key(key);
        let is_usable =
            |handle: &CachedHandle, now| has_key(handle.circuit(), key) && self.is_usable(handle.circuit(), now);
        match cache::find(cache_key, now, is_usable) {
            Found::Usable(handle) => HeldCircuit::Cached(handle),
            Found::Unusable(handle, now) => self.look_up_anew(key, now, handle),
            Found::Nothing(cache_key, now, group) => self.look_up_in_map(cache_key.hash(), key, now, group),
            Found::Unknown => self.look_up_in_map(cache_key.hash(), key, now, None),
        }
    }

    /// Whether a circuit with the key of a look-up is not idle, in which case its use is recorded. A circuit that was
    /// removed during a call is listed again by a look-up in the map.
    #[inline]
    fn is_usable(&self, circuit: &Circuit, now: Time) -> bool {
        circuit.inner().is_listed() && self.eviction.touch(circuit, now)
    }

    /// Looks up a key for which the cache contains a handle that is not usable.
    #[cold]
    #[inline(never)]
    fn look_up_anew(&self, key: &[u8], now: Time, unusable: Arc<CachedHandle>) -> HeldCircuit<'static> {
        drop(unusable);
        let cache_key = self.circuits.cache_key(key);
        self.look_up_in_map(cache_key.hash(), key, now, cache::note_wrong_handle(cache_key))
    }

    #[inline(never)]
    fn look_up_in_map(&self, hash: u64, key: &[u8], now: Time, group: Option<Group>) -> HeldCircuit<'static> {
        let Some(circuit) = self.find_in_map(hash, key, now) else { return self.insert(hash, key) };
        let Some(group) = group else { return HeldCircuit::Owned(circuit) };
        // The map still has the circuit, because this thread has a handle.
        let handle = self.circuits.write(hash).share(&circuit, group.get());
        cache::insert(self.circuits.cache_key(key), &handle);
        HeldCircuit::Cached(handle)
    }

    /// Returns the circuit of a key and records its use.
    fn find_in_map(&self, hash: u64, key: &[u8], now: Time) -> Option<Circuit> {
        let part = self.circuits.read(hash);
        let circuit = part.find(hash, key)?;
        if self.eviction.is_expired(&part, circuit, now) {
            return None;
        }
        circuit.inner().touch(now);
        Some(circuit.clone())
    }

    /// Creates the circuit of a key, unless another thread does so meanwhile.
    #[cold]
    fn insert(&self, hash: u64, key: &[u8]) -> HeldCircuit<'static> {
        // These are the bytes of a `Key`, which is text.
        let key = std::str::from_utf8(key).unwrap_or_default();
        let now = self.context.time.now();
        // `config_with` is code of the user's, so it runs before a part of the map is locked.
        let config = self.config_of(key);
        let created = Circuit::in_context(key.into(), config, self.context.clone(), now);
        let mut part = self.circuits.write(hash);
        let mut expired = None;
        if let Some(position) = part.position(hash, key.as_bytes()) {
            expired = self.eviction.take_expired(&self.circuits, &mut part, position, now);
            let found = if expired.is_some() { None } else { part.get(position) };
            if let Some(circuit) = found {
                circuit.inner().touch(now);
                return HeldCircuit::Owned(circuit.clone());
            }
        }
        self.circuits.insert(&mut part, hash, created.clone());
        drop(part);
        drop(expired);
        if self.eviction.make_room(&self.circuits, now).is_newly_over_capacity {
            created.inner().publish_event(Reason::OverCapacity);
        }
        created.inner().report_joined();
        HeldCircuit::Owned(created)
    }

    fn config_of(&self, key: &str) -> Config {
        let specific = self.config_for.get(key).cloned();
        specific
            .or_else(|| self.config_with.as_ref().and_then(|config| config(key)))
            .unwrap_or_else(|| self.config.clone())
    }
}

fn has_key(circuit: &Circuit, key: &[u8]) -> bool {
    same_bytes(circuit.connection().as_bytes(), key)
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
