//! The builder of a registry.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::eviction::Eviction;
use super::{Circuits, ConfigWith, Registry, RegistryState};
use crate::circuit::{CircuitContext, Connection};
use crate::clock::{Clock, TimeSource};
use crate::config::{Config, ConfigError};
use crate::event::Event;
use crate::fleet::{Fleet, Link};
use crate::telemetry::{Hook, Hooks};

const CAPACITY: usize = 100_000;
const IDLE_AFTER: Duration = Duration::from_secs(60 * 60);

/// Collects the settings of a [`Registry`]. [`build`](Self::build) checks them.
#[must_use = "settings have no effect until they are built"]
pub struct RegistryBuilder {
    config: Config,
    config_for: Vec<(Box<str>, Config)>,
    config_with: Option<ConfigWith>,
    capacity: usize,
    idle_after: Duration,
    time: TimeSource,
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
            hooks: Vec::new(),
            fleet: None,
        }
    }
}

impl RegistryBuilder {
    /// Sets the configuration of every circuit without a more specific one. Default [`Config::default`].
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Sets the configuration of one connection's circuit.
    pub fn config_for(mut self, connection: impl Connection, config: Config) -> Self {
        self.config_for.push((connection.key().as_str().into(), config));
        self
    }

    /// Sets a function that returns the configuration for a key without a [`config_for`](Self::config_for). `None`
    /// selects the configuration of the registry. The function is called once for each new circuit, outside every lock.
    ///
    /// Clones of a [`Config`] share their settings, so return clones of a few instead of building each one.
    pub fn config_with(mut self, config: impl Fn(&str) -> Option<Config> + Send + Sync + 'static) -> Self {
        self.config_with = Some(Box::new(config));
        self
    }

    /// Sets the largest number of circuits. Default 100,000, at least 1.
    ///
    /// Over the capacity, the circuits that were idle longest are evicted first: closed ones without a streak, then
    /// closed ones with a streak, then open ones whose cooldown is over. A circuit that is in its cooldown, under
    /// probe, held open or referenced by a handle is never evicted. If no circuit can be evicted, the registry grows
    /// and emits an event ([`Reason::OverCapacity`](crate::Reason::OverCapacity)).
    pub fn capacity(mut self, circuits: usize) -> Self {
        self.capacity = circuits;
        self
    }

    /// Sets the time without a call after which a circuit is evicted. Default 1 hour, longer than zero.
    ///
    /// The time of the last call is kept to a millisecond, or to a thousandth of a shorter `idle_after`. A circuit in
    /// its cooldown stays until the cooldown is over.
    pub fn idle_after(mut self, idle: Duration) -> Self {
        self.idle_after = idle;
        self
    }

    /// Sets the clock of all circuits. Default: the system's monotonic clock.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.time = TimeSource::custom(clock);
        self
    }

    /// Adds a function that receives every event: each change of a circuit's state.
    ///
    /// A hook runs on the thread of the call that caused the change, outside every lock and in order for each circuit.
    /// It may call anything, including this registry. A panic in a hook is printed and has no other effect. A hook
    /// should be fast, because the call that caused the change waits for it. A hook that owns a clone of the registry
    /// keeps the registry alive.
    pub fn on_event(mut self, hook: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Shares the circuits with other processes: see [`fleet`](crate::fleet). Default: no sharing.
    ///
    /// Calls are decided in this process as before, and none waits for the fleet. After a cooldown, the first call is
    /// rejected while the fleet is asked for a probe grant.
    ///
    /// A circuit that outlives its registry receives no further updates. [`Registry::reset`] closes a circuit that
    /// exists in this process. To reset one that may exist only in others, look it up first:
    /// `registry.circuit(&connection).reset()`.
    pub fn fleet(mut self, fleet: impl Fleet + 'static) -> Self {
        self.fleet = Some(Arc::new(fleet));
        self
    }

    /// Builds the registry, if every setting is valid.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the first invalid setting, a connection that is configured twice, or a fleet that
    /// already serves another registry.
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
        let context = CircuitContext {
            time: self.time,
            hooks: Hooks::new(self.hooks),
            fleet: self.fleet,
            #[cfg(feature = "metrics")]
            retired: crate::telemetry::Retired::default(),
        };
        Registry(Arc::new(RegistryState {
            circuits: Circuits::default(),
            config: self.config,
            config_for: HashMap::from_iter(self.config_for),
            config_with: self.config_with,
            eviction: Eviction::new(self.capacity, self.idle_after),
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
