//! The circuit of one connection: the public handle and its parts.

mod admission;
mod call_site;
mod call_state;
mod connection;
mod counters;
mod events;
mod eviction_rank;
mod flags;
mod fleet;
mod handle;
mod inner;
mod kept_rejections;
pub(crate) mod nesting;
mod outer_calls;
mod progress;
mod quick_results;
mod state_word;
mod stripes;

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

pub use call_site::CallSite;
pub(crate) use call_site::UNNAMED;
pub(crate) use call_state::{AdmittedBy, CallState};
pub use connection::Connection;
pub(crate) use eviction_rank::EvictionRank;
pub use handle::{At, CircuitAt, HeldCircuit};
pub(crate) use handle::{CachedHandle, Hold, Stored};
pub(crate) use inner::{CircuitContext, Inner};
pub(crate) use progress::Progress;
pub(crate) use state_word::Ticket;
pub(crate) use stripes::Stripes;

pub(crate) use crate::machine::JitterSeed;

use crate::clock::{Clock, Time, TimeSource};
use crate::config::Config;
use crate::event::Snapshot;
use crate::state::State;
use crate::sync::{Arc, Ordering, fence};

/// A handle to the circuit of one connection.
///
/// Clones are cheap and refer to the same circuit. [`Registry::circuit`](crate::Registry::circuit) returns the circuit
/// of a connection, and [`Circuit::new`] creates one without a registry.
///
/// A circuit counts the evidence of calls and rejects calls while it is open. Calls are made by an annotated function,
/// by [`call`](Self::call) or [`call_async`](Self::call_async), or under a [`Permit`](crate::Permit) of
/// [`try_acquire`](Self::try_acquire):
///
/// ```
/// use breaker_core::{Circuit, Config, Evidence, State};
///
/// let circuit = Circuit::new("shop-7", Config::builder().failure_threshold(2).build()?);
/// for _ in 0..2 {
///     circuit.try_acquire().expect("closed").settle(Evidence::Failed);
/// }
/// assert_eq!(circuit.state(), State::Open);
/// assert!(circuit.try_acquire().is_err());
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Circuit(Arc<Inner>);

impl Circuit {
    /// Creates a closed circuit without a registry.
    ///
    /// It has no hooks and is never evicted, and its jitter has a random seed of its own. A second circuit with the same connection is independent of it, so store
    /// the circuit where the connection's calls find it.
    #[must_use]
    pub fn new(connection: impl Connection, config: Config) -> Self {
        Self::standalone(&connection, config, TimeSource::System)
    }

    /// Creates a circuit like [`new`](Self::new), with this clock instead of the system's monotonic one.
    ///
    /// ```
    /// use std::time::Duration;
    /// use breaker_core::testing::ManualClock;
    /// use breaker_core::{Circuit, Config, State};
    ///
    /// let clock = ManualClock::new();
    /// let circuit = Circuit::with_clock("shop-7", Config::default(), clock.clone());
    /// circuit.trip();
    /// clock.advance(Duration::from_secs(60));
    /// assert_eq!(circuit.state(), State::HalfOpen);
    /// ```
    #[must_use]
    pub fn with_clock(connection: impl Connection, config: Config, clock: impl Clock + 'static) -> Self {
        Self::standalone(&connection, config, TimeSource::from(clock))
    }

    fn standalone(connection: &impl Connection, config: Config, time: TimeSource) -> Self {
        let now = time.now();
        let context = CircuitContext { time, ..CircuitContext::default() };
        Self::in_context(connection.key().into_shared(), config, context.into(), now)
    }

    pub(crate) fn in_context(
        connection: std::sync::Arc<str>,
        config: Config,
        context: std::sync::Arc<CircuitContext>,
        now: Time,
    ) -> Self {
        Self(Arc::new(Inner::new(connection, config, context, now)))
    }

    #[inline]
    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    /// Whether this is the only handle to the circuit. The result is reliable only while no other thread can get a new
    /// handle, for example while a part of the registry's map is locked.
    pub(crate) fn is_sole_handle(&self) -> bool {
        let is_sole = self.handle_count() == 1;
        // `strong_count` reads with `Relaxed`. The fence pairs with the `Release` of each drop, so that everything that
        // other threads did to the circuit before they dropped their handles is visible to the caller.
        fence(Ordering::Acquire);
        is_sole
    }

    /// The number of handles to the circuit.
    pub(crate) fn handle_count(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// The key of the connection, as text.
    #[must_use]
    #[inline]
    pub fn connection(&self) -> &str {
        self.0.connection()
    }

    /// The current state, without side effects. It is half-open as soon as the cooldown is over, even before a probe.
    #[must_use]
    pub fn state(&self) -> State {
        self.0.state()
    }

    /// Takes a point-in-time snapshot of the state and the counters, without side effects.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.0.snapshot(self.0.now())
    }

    /// Closes the circuit at once and clears its streak. Results of calls from before the reset are ignored.
    ///
    /// In a [fleet](crate::fleet), the circuits of the other processes are reset, too.
    pub fn reset(&self) {
        self.0.reset();
    }

    /// Opens the circuit for one cooldown, as if the failure threshold had been reached. The cooldown starts now and has its first
    /// length, also if the circuit is open already and its cooldown has grown. A circuit that is held open
    /// stays held open.
    pub fn trip(&self) {
        self.0.trip();
    }

    /// Opens the circuit until [`reset`](Self::reset) is called, for example during maintenance of the remote system.
    ///
    /// ```
    /// use breaker_core::{Circuit, Config, RejectionReason};
    ///
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// circuit.hold_open();
    /// let open = circuit.try_acquire().unwrap_err();
    /// assert_eq!(open.reason(), RejectionReason::HeldOpen);
    /// circuit.reset();
    /// assert!(circuit.try_acquire().is_ok());
    /// ```
    pub fn hold_open(&self) {
        self.0.hold_open();
    }
}

/// A panic never leaves a circuit half changed, so a circuit may be used on the other side of `catch_unwind`.
impl UnwindSafe for Circuit {}
impl RefUnwindSafe for Circuit {}

/// Two handles are equal if they refer to the same circuit.
impl PartialEq for Circuit {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Circuit {}

impl fmt::Debug for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Circuit")
            .field("connection", &self.connection())
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::evidence::Evidence;

    /// Eviction relies on this. Fails under Miri (scripts/miri.sh) without the fence of `is_sole_handle`.
    #[test]
    fn the_last_handle_sees_the_changes_of_the_others() {
        let circuit = Circuit::new("shop-7", Config::builder().failure_threshold(1).build().unwrap());
        let other = circuit.clone();
        let thread = std::thread::spawn(move || other.try_acquire().unwrap().settle(Evidence::Failed));
        while !circuit.is_sole_handle() {
            std::hint::spin_loop();
        }
        assert_eq!(circuit.inner().eviction_rank(circuit.inner().now()), None, "an open circuit would be evicted");
        thread.join().unwrap();
    }
}
