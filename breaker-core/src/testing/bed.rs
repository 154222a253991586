//! `TestBed`: a registry, clock and event log for one test.

use crate::config::ConfigError;
use crate::registry::{Registry, RegistryBuilder};

use super::scope::{Entered, Scoped};
use super::{EventLog, ManualClock};

/// A registry of its own for one test, with a manual clock and an event log.
///
/// [`Registry::global`] returns this registry while the bed is [entered](Self::enter) and inside a [scoped](Self::scope)
/// future, so parallel tests share no circuits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestBed {
    /// The circuits of the test.
    pub registry: Registry,
    /// The clock of the registry.
    pub clock: ManualClock,
    /// The events of the registry.
    pub events: EventLog,
    /// The registry that replaces the global one.
    global: &'static Registry,
}

impl TestBed {
    /// Creates a bed with the default configuration.
    #[must_use]
    pub fn new() -> Self {
        match Self::with(|registry| registry) {
            Ok(bed) => bed,
            Err(_) => unreachable!("the defaults are valid"),
        }
    }

    /// Creates a bed whose registry has further settings, for example those of production. The clock and the event log are
    /// added. The [`jitter_seed`](RegistryBuilder::jitter_seed) is 0 unless it is set, so that each run has the same
    /// cooldowns.
    ///
    /// ```
    /// use breaker_core::{Config, testing::TestBed};
    ///
    /// let config = Config::builder().failure_threshold(2).build()?;
    /// let bed = TestBed::with(|registry| registry.config(config))?;
    /// # Ok::<(), breaker_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] for a setting that is out of range.
    pub fn with(configure: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Result<Self, ConfigError> {
        let (clock, events) = (ManualClock::new(), EventLog::new());
        let registry =
            configure(Registry::builder().jitter_seed(0)).clock(clock.clone()).on_event(events.hook()).build()?;
        // `Registry::global` returns a `'static` reference, so its replacement is leaked. A test process is short.
        let global = Box::leak(Box::new(registry.clone()));
        Ok(Self { registry, clock, events, global })
    }

    /// Makes this the global registry of the current thread until the returned guard is dropped.
    ///
    /// Use it in plain tests, and in asynchronous ones whose runtime has one thread, such as `#[tokio::test]`.
    pub fn enter(&self) -> Entered {
        Entered::new(self.global)
    }

    /// Makes this the global registry inside a future, whichever thread polls it. Tasks that the future spawns need a scope of
    /// their own.
    pub fn scope<F: Future>(&self, future: F) -> Scoped<F> {
        Scoped::new(self.global, future)
    }
}

impl Default for TestBed {
    fn default() -> Self {
        Self::new()
    }
}
