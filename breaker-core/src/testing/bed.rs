//! Everything that one test needs, apart from every other test.

use crate::config::ConfigError;
use crate::registry::{Registry, RegistryBuilder};

use super::scope::{Entered, Scoped};
use super::{EventLog, ManualClock};

/// A registry with a clock that the test moves and a record of its events, apart from every other test.
///
/// Code that asks [`Registry::global`] gets this one while the bed is [entered](Self::enter), or within a
/// [scoped](Self::scope) future.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestBed {
    /// All circuits of the test.
    pub registry: Registry,
    /// Their clock.
    pub clock: ManualClock,
    /// What they went through.
    pub events: EventLog,
    /// What the global registry is meanwhile.
    global: &'static Registry,
}

impl TestBed {
    /// A bed whose circuits have the default configuration.
    #[must_use]
    pub fn new() -> Self {
        match Self::with(|registry| registry) {
            Ok(bed) => bed,
            Err(_) => unreachable!("the defaults are in their ranges"),
        }
    }

    /// A bed whose registry is configured as in production; the clock and the record are added.
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
    /// A [`ConfigError`] for a setting out of its range.
    pub fn with(configure: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Result<Self, ConfigError> {
        let (clock, events) = (ManualClock::new(), EventLog::new());
        let registry = configure(Registry::builder()).clock(clock.clone()).on_event(events.hook()).build()?;
        // The global registry lives for ever, so what takes its place has to: a test process is short.
        let global = Box::leak(Box::new(registry.clone()));
        Ok(Self { registry, clock, events, global })
    }

    /// Makes this the global registry of the current thread, until what is returned is dropped.
    ///
    /// For plain tests, and for asynchronous ones whose runtime has one thread, as that of `#[tokio::test]` has.
    pub fn enter(&self) -> Entered {
        Entered::new(self.global)
    }

    /// Makes this the global registry of a future, on whichever thread it is polled. Tasks that it spawns are not a part
    /// of it, and need a scope of their own.
    pub fn scope<F: Future>(&self, future: F) -> Scoped<F> {
        Scoped::new(self.global, future)
    }
}

impl Default for TestBed {
    fn default() -> Self {
        Self::new()
    }
}
