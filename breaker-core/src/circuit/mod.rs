//! The circuit of one connection.

mod company;
mod inner;
mod outbox;
mod relations;
mod tally;
mod word;

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

pub(crate) use inner::{Admission, Inner, Standing, Surroundings};
pub(crate) use word::Ticket;

use crate::call::{self, CallAsync};
use crate::clock::{Clock, Time, TimeSource};
use crate::config::Config;
use crate::connection::Connection;
use crate::evidence::{Evidence, ProvesReachable};
use crate::guard::Call;
use crate::outcome::{ByClassifier, ByType, Judge};
use crate::permit::Permit;
use crate::rejection::CircuitOpen;
use crate::site::UNNAMED;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::sync::{Arc, Ordering, fence};

/// The circuit of one connection: a cheap handle, whose clones are the same circuit.
///
/// A [`Registry`](crate::Registry) hands circuits out by connection; [`Circuit::new`] makes one that stands alone.
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
    /// A closed circuit that belongs to no registry.
    #[must_use]
    pub fn new(connection: impl Connection, config: Config) -> Self {
        Self::standing_alone(&connection, config, TimeSource::System)
    }

    /// As [`new`](Self::new), with another clock than the system's.
    #[must_use]
    pub fn with_clock(connection: impl Connection, config: Config, clock: impl Clock + 'static) -> Self {
        Self::standing_alone(&connection, config, TimeSource::custom(clock))
    }

    fn standing_alone(connection: &impl Connection, config: Config, time: TimeSource) -> Self {
        let now = time.now();
        let surroundings = Surroundings { time, ..Surroundings::default() };
        Self::of(connection.key().into_shared(), config, surroundings.into(), now)
    }

    pub(crate) fn of(
        connection: std::sync::Arc<str>,
        config: Config,
        surroundings: std::sync::Arc<Surroundings>,
        now: Time,
    ) -> Self {
        Self(Arc::new(Inner::new(connection, config, surroundings, now)))
    }

    #[inline]
    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    /// Whether nobody but the caller holds a handle. Only certain where nobody can get a new one meanwhile.
    pub(crate) fn is_held_once(&self) -> bool {
        let once = Arc::strong_count(&self.0) == 1;
        // The count alone orders nothing. With this, whoever dropped the last other handle has done all that he did to
        // the circuit before the caller looks at its state.
        fence(Ordering::Acquire);
        once
    }

    /// The key of the connection.
    #[must_use]
    #[inline]
    pub fn connection(&self) -> &str {
        self.0.connection()
    }

    /// The state at this moment: half-open as soon as the cooldown is over. Reading it changes nothing.
    #[must_use]
    pub fn state(&self) -> State {
        self.0.state()
    }

    /// What the circuit looks like at this moment. Taking it changes nothing.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.0.snapshot(self.0.now())
    }

    /// Asks for the right to make one call, which the caller settles by hand.
    ///
    /// A permit does not know which calls run inside it, so nested calls on the same circuit are taken for calls of
    /// their own; [`call`](Self::call) and the annotation know.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] where the circuit rejects the call.
    pub fn try_acquire(&self) -> Result<Permit, CircuitOpen> {
        Permit::acquire(self)
    }

    /// Makes a call: its error says by its type whether it proves reachability.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable};
    ///
    /// #[derive(Debug, thiserror::Error, ProvesReachable)]
    /// enum StockError {
    ///     #[error("no such article")]
    ///     #[reachable(status = 404)]
    ///     NoSuchArticle,
    ///     #[error(transparent)]
    ///     Rejected(#[from] CircuitOpen),
    /// }
    ///
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let stock: Result<u32, StockError> = circuit.call(|| Ok(3));
    /// assert_eq!(stock.unwrap(), 3);
    /// ```
    ///
    /// # Errors
    ///
    /// The call's own error unchanged, or a [`CircuitOpen`] turned into `E` where the call was not made.
    #[inline]
    pub fn call<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByType)
    }

    /// As [`call`](Self::call), with a classifier in place of the type's word.
    ///
    /// The classifier has the last word, for the error may be of any type, and nothing else looks into it: where the error
    /// may pass on a rejection of another circuit, the classifier says [`Evidence::Unknown`] for that. A rejection of this
    /// circuit it never sees.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config, Evidence};
    ///
    /// let (shop, crm) = (Circuit::new("shop", Config::default()), Circuit::new("crm", Config::default()));
    /// crm.hold_open();
    /// let result: Result<(), CircuitOpen> = shop.call_with(
    ///     || crm.try_acquire().map(drop),
    ///     |result| if result.is_ok() { Evidence::Answered } else { Evidence::Unknown },
    /// );
    /// assert!(result.is_err());
    /// assert_eq!(shop.snapshot().failed, 0);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    #[inline]
    pub fn call_with<T, E>(
        &self,
        call: impl FnOnce() -> Result<T, E>,
        classify: impl Fn(&Result<T, E>) -> Evidence,
    ) -> Result<T, E>
    where
        E: From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByClassifier(classify))
    }

    #[inline]
    pub(crate) fn admit_and_run<T, E: From<CircuitOpen>>(
        &self,
        body: impl FnOnce() -> Result<T, E>,
        judge: &impl Judge<Result<T, E>>,
    ) -> Result<T, E> {
        call::run(Call::admitted(self, &UNNAMED)?, body, judge)
    }

    /// Makes an asynchronous call: admitted at the first poll, and a cancellation if it is dropped before it finished.
    #[inline]
    pub fn call_async<T, E, F>(&self, future: F) -> CallAsync<&Self, F, ByType>
    where
        F: Future<Output = Result<T, E>>,
        E: ProvesReachable + From<CircuitOpen>,
    {
        CallAsync::new(self, future, ByType)
    }

    /// As [`call_async`](Self::call_async), with a classifier in place of the type's word. As for
    /// [`call_with`](Self::call_with), the classifier has the last word.
    #[inline]
    pub fn call_async_with<T, E, F, C>(&self, future: F, classify: C) -> CallAsync<&Self, F, ByClassifier<C>>
    where
        F: Future<Output = Result<T, E>>,
        E: From<CircuitOpen>,
        C: Fn(&Result<T, E>) -> Evidence,
    {
        CallAsync::new(self, future, ByClassifier(classify))
    }

    /// Closes the circuit at once: results of calls from before change nothing.
    pub fn reset(&self) {
        self.0.reset();
    }

    /// Opens the circuit for one cooldown. A circuit that is held open stays so.
    pub fn trip(&self) {
        self.0.trip();
    }

    /// Opens the circuit until [`reset`](Self::reset).
    pub fn hold_open(&self) {
        self.0.hold_open();
    }
}

/// A panic never leaves a circuit half changed, so it may be seen on the other side of one, and so may a guarded call.
impl UnwindSafe for Circuit {}
impl RefUnwindSafe for Circuit {}

/// Two handles are equal if they are of the same circuit.
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

    /// What eviction relies on. Red under Miri (scripts/miri.sh) without the fence of `is_held_once`.
    #[test]
    fn the_last_handle_sees_what_the_others_did() {
        let circuit = Circuit::new("shop-7", Config::builder().failure_threshold(1).build().unwrap());
        let other = circuit.clone();
        let thread = std::thread::spawn(move || other.try_acquire().unwrap().settle(Evidence::Failed));
        while !circuit.is_held_once() {
            std::hint::spin_loop();
        }
        assert_eq!(circuit.inner().standing(circuit.inner().now()), None, "an open circuit would be evicted");
        thread.join().unwrap();
    }
}
