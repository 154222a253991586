//! The builder of a registry.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::eviction::Eviction;
use super::map::CircuitMap;
use super::{ConfigWith, Registry, RegistryState};
use crate::circuit::{CircuitContext, Connection, JitterSeed, Stripes};
use crate::clock::{Clock, TimeSource};
use crate::config::{Config, ConfigError};
use crate::event::Event;
use crate::fleet::{Fleet, Link};
use crate::telemetry::Hook;

const CAPACITY: usize = 100_000;
const IDLE_AFTER: Duration = Duration::from_secs(60 * 60);

/// Collects the settings of a [`Registry`], from [`Registry::builder`]. [`build`](Self::build) checks them.
///
/// ```
/// use std::time::Duration;
/// use breaker_core::{Config, Registry};
///
/// let payments = Config::builder().failure_threshold(2).cooldown(Duration::from_secs(10)).build()?;
/// let registry = Registry::builder()
///     .config_for("payments", payments)
///     .capacity(10_000)
///     .on_event(|event| println!("{event}"))
///     .build()?;
/// assert!(registry.is_empty());
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
#[must_use = "settings have no effect until they are built"]
pub struct RegistryBuilder {
    config: Config,
    config_for: Vec<(Box<str>, Config)>,
    config_with: Option<ConfigWith>,
    capacity: usize,
    idle_after: Duration,
    time: TimeSource,
    jitter_seed: JitterSeed,
    hooks: Vec<Hook>,
    fleet: Option<Arc<dyn Fleet>>,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            config: Config::default(),
            config_for: Vec::new(),
            config_with: None,
            capacity: CAPACITY,
            idle_after: IDLE_AFTER,
            time: TimeSource::System,
            jitter_seed: JitterSeed::default(),
            hooks: Vec::new(),
            fleet: None,
        }
    }
}

impl RegistryBuilder {
    /// Sets the configuration of every circuit for which [`config_for`](Self::config_for) and
    /// [`config_with`](Self::config_with) give none. Default [`Config::default`].
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Sets the configuration of the circuit of one connection. It can be called once for each connection.
    pub fn config_for(mut self, connection: impl Connection, config: Config) -> Self {
        self.config_for.push((connection.key().as_str().into(), config));
        self
    }

    /// Sets a function that returns the configuration for a key for which [`config_for`](Self::config_for) gives none.
    /// If it returns `None`, the circuit has the configuration of [`config`](Self::config). Default: no function.
    ///
    /// It is called when a circuit is created, outside every lock; its panic reaches the caller, whose call is not made. Clones of
    /// a [`Config`] share their settings, so
    /// build the configurations once and return clones of them:
    ///
    /// ```
    /// use breaker_core::{Config, Registry};
    ///
    /// let patient = Config::builder().failure_threshold(20).build()?;
    /// let registry =
    ///     Registry::builder().config_with(move |key| key.starts_with("crm:").then(|| patient.clone())).build()?;
    /// # Ok::<(), breaker_core::ConfigError>(())
    /// ```
    pub fn config_with(mut self, config: impl Fn(&str) -> Option<Config> + Send + Sync + 'static) -> Self {
        self.config_with = Some(Box::new(config));
        self
    }

    /// Sets the largest number of circuits. Default 100,000; at least 1.
    ///
    /// Over the capacity, closed circuits without a streak are evicted first, then closed ones with a streak, then open
    /// ones whose cooldown is over; within each group, the longest idle one is first. A circuit that is in its
    /// cooldown, under probe, held open or referenced by a handle is never evicted. If no circuit can be evicted, the
    /// registry grows over its capacity and publishes an event ([`Reason::OverCapacity`](crate::Reason::OverCapacity)).
    ///
    /// The cost of eviction is spread: the creation of a circuit visits at most 64 others, evicts at most 48, and never
    /// searches the whole registry. In a large registry, the order is therefore that of the last visits.
    pub fn capacity(mut self, circuits: usize) -> Self {
        self.capacity = circuits;
        self
    }

    /// Sets the time without a call after which a circuit is evicted. Default 1 hour; longer than zero.
    ///
    /// The time of the last call is precise to a millisecond, or to a thousandth of `idle_after` if that is less. A
    /// circuit in its cooldown is evicted at the end of the cooldown at the earliest.
    ///
    /// An evicted circuit disappears from all listings at once. Its memory is freed by the creation of later circuits, each
    /// of which removes about 24.
    pub fn idle_after(mut self, idle: Duration) -> Self {
        self.idle_after = idle;
        self
    }

    /// Sets the clock of all circuits. Default: the system's monotonic clock. Tests use
    /// [`ManualClock`](crate::testing::ManualClock).
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.time = TimeSource::from(clock);
        self
    }

    /// Sets the seed of the random extension of cooldowns
    /// ([`cooldown_jitter`](crate::ConfigBuilder::cooldown_jitter)), so that a test gets the same cooldowns in each run.
    /// Default: a random seed for each registry, so that the processes of a service do not probe at the same moment.
    ///
    /// ```
    /// use breaker_core::{Config, Registry, testing::ManualClock};
    ///
    /// let cooldown = |seed| {
    ///     let config = Config::builder().cooldown_jitter(0.5).build()?;
    ///     let registry = Registry::builder().config(config).clock(ManualClock::new()).jitter_seed(seed).build()?;
    ///     let circuit = registry.circuit("shop-7");
    ///     circuit.trip();
    ///     Ok(circuit.snapshot().retry_after)
    /// };
    /// assert_eq!(cooldown(7)?, cooldown(7)?);
    /// assert_ne!(cooldown(7)?, cooldown(8)?);
    /// # Ok::<(), breaker_core::ConfigError>(())
    /// ```
    pub fn jitter_seed(mut self, seed: u64) -> Self {
        self.jitter_seed = seed.into();
        self
    }

    /// Adds a hook: a function that receives each [`Event`] of a circuit. Default: no hooks. Each of several hooks
    /// receives every event.
    ///
    /// A hook runs outside every lock, on the thread of the call that caused the event, or on a thread that is already
    /// delivering an event of the same circuit. The events of a circuit arrive in order. A hook may call anything,
    /// including this registry. It should return quickly, because a call waits for it. A panic in a hook is passed to
    /// the panic handler and has no other effect.
    ///
    /// If a hook is slower than the changes, at most 1,024 events of a circuit wait for it. Each further event is merged with
    /// the newest one that waits: the result leads from the state before both to the state after both, with the reason
    /// and operation of the later one. [`Snapshot::merged_events`](crate::Snapshot::merged_events) counts them. The thread that
    /// delivers is busy until no event waits, so pass slow work to another thread.
    ///
    /// A hook that owns a clone of the registry keeps the registry in memory.
    pub fn on_event(mut self, hook: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Shares the state of the circuits with other processes: see [`fleet`](crate::fleet). Default: the circuits are
    /// not shared.
    ///
    /// This process still decides about each call by itself, and calls never wait for the fleet. After a cooldown, the
    /// first call is rejected while the circuit asks the fleet for a probe grant.
    ///
    /// A circuit that is used after its registry was dropped receives no updates. [`Registry::reset`] closes a circuit
    /// that exists in this process. To reset one that may exist only in other processes, look it up first:
    /// `registry.circuit(&connection).reset()`.
    pub fn fleet(mut self, fleet: impl Fleet + 'static) -> Self {
        self.fleet = Some(Arc::new(fleet));
        self
    }

    /// Builds the registry.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the first invalid setting: one outside its range, a connection with two
    /// [`config_for`](Self::config_for), or a fleet that serves another registry already.
    pub fn build(self) -> Result<Registry, ConfigError> {
        if self.capacity == 0 {
            return Err(ConfigError::new("capacity", "0", "at least 1"));
        }
        if self.idle_after.is_zero() {
            return Err(ConfigError::new("idle_after", "0ns", "longer than zero"));
        }
        let mut seen = HashSet::new();
        if let Some((twice, _)) = self.config_for.iter().find(|(key, _)| !seen.insert(key)) {
            return Err(ConfigError::new(
                "config_for",
                format!("given twice for {twice:?}"),
                "given once a connection",
            ));
        }
        let fleet = self.fleet.clone();
        let registry = self.finish();
        match fleet {
            Some(fleet) if !fleet.join(Link::new(registry.link_target())) => {
                Err(ConfigError::new("fleet", "one that serves another registry already", "given to one registry"))
            }
            _ => Ok(registry),
        }
    }

    /// Builds the registry from settings that are known to be valid.
    pub(super) fn finish(self) -> Registry {
        let eviction = Eviction::new(self.capacity, self.idle_after, &self.time);
        let context = CircuitContext {
            time: self.time,
            jitter_seed: self.jitter_seed,
            hooks: self.hooks.into(),
            stripes: Stripes::default(),
            fleet: self.fleet,
            #[cfg(feature = "metrics")]
            retired: crate::telemetry::Retired::default(),
        };
        Registry(Arc::new(RegistryState {
            circuits: CircuitMap::new(self.capacity),
            config: self.config,
            config_for: HashMap::from_iter(self.config_for),
            config_with: self.config_with,
            eviction,
            context: Arc::new(context),
        }))
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder")
            .field("config", &self.config)
            .field("config_for", &self.config_for)
            .field("capacity", &self.capacity)
            .field("idle_after", &self.idle_after)
            .field("clock", &self.time)
            .field("fleet", &self.fleet.is_some())
            .finish_non_exhaustive()
    }
}
