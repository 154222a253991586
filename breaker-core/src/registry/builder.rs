//! Collects what a registry needs.

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

/// Collects the settings of a [`Registry`]; [`build`](Self::build) checks them.
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
    /// The configuration of every circuit that has no other. Default [`Config::default`].
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// The configuration of one connection's circuit.
    pub fn config_for(mut self, connection: impl Connection, config: Config) -> Self {
        self.config_for.push((connection.key().as_str().into(), config));
        self
    }

    /// The configuration of a circuit by its key, where [`config_for`](Self::config_for) names none. `None` means the
    /// registry's own. It is asked once for each new circuit, outside every lock.
    ///
    /// Clones of one [`Config`] share their settings, so hand out clones of a few rather than build each anew.
    pub fn config_with(mut self, config: impl Fn(&str) -> Option<Config> + Send + Sync + 'static) -> Self {
        self.config_with = Some(Box::new(config));
        self
    }

    /// How many circuits to keep at most. Default 100,000, at least 1.
    ///
    /// Over it the longest idle go first: closed without a streak of failures, then closed with one, then open with the
    /// cooldown over. A circuit in its cooldown, under probe, held open or in somebody's hands never goes; if no circuit
    /// may, the registry grows and an event says so ([`Reason::OverCapacity`](crate::Reason::OverCapacity)).
    pub fn capacity(mut self, circuits: usize) -> Self {
        self.capacity = circuits;
        self
    }

    /// After how long without a call a circuit goes. Default 1 hour, longer than zero.
    ///
    /// The moment of the last call is known to a millisecond, and to a thousandth of a shorter time. A circuit in its cooldown stays until that is over.
    pub fn idle_after(mut self, idle: Duration) -> Self {
        self.idle_after = idle;
        self
    }

    /// The clock of all circuits. Default: the system's monotonic one.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.time = TimeSource::custom(clock);
        self
    }

    /// Adds a function that is told of each change of a circuit's state.
    ///
    /// Hooks run on the thread of the call that brought the change, outside every lock, and in order for each circuit.
    /// A hook may call anything, this registry included. One that panics harms nobody. It should be quick: the call that
    /// brought the change waits for it. A hook that keeps a clone of the registry keeps it alive for ever.
    pub fn on_event(mut self, hook: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Shares the circuits with other processes: see [`fleet`](crate::fleet). Default: with nobody.
    ///
    /// Calls are decided in this process as before, and none waits for the fleet. After a cooldown the first call is
    /// rejected while the fleet is asked who may probe.
    ///
    /// A circuit that outlives its registry absorb nothing more. [`Registry::reset`] closes a circuit that this process
    /// has; to reset one that others may have, ask for it first: `registry.circuit(&connection).reset()`.
    pub fn fleet(mut self, fleet: impl Fleet + 'static) -> Self {
        self.fleet = Some(Arc::new(fleet));
        self
    }

    /// The registry, if every setting is in its range.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the first setting out of its range, a connection configured twice, or a fleet that
    /// serves another registry already.
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

    /// The registry, of settings that are known to be in their ranges.
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
