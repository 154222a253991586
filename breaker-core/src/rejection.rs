//! Rejected calls.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{ClockNumber, Time};
use crate::state::{State, enum_with_texts, one_line};

/// The circuit rejected the call, so the call was not made: the circuit is open, or half-open with its probes under
/// way.
///
/// A rejection is never evidence, neither for its own circuit nor for the circuit of an outer call. It is one pointer
/// wide, so that a `Result` with it stays small. Its text is one line: control characters in the names are escaped.
///
/// It is cheap to make, clone and store: equal rejections of one thread share their data, and none keeps its circuit alive.
///
/// ```
/// use breaker_core::{Circuit, Config, RejectionReason};
///
/// let circuit = Circuit::new("shop-7", Config::default());
/// circuit.hold_open();
/// let open = circuit.try_acquire().unwrap_err();
/// assert_eq!(open.connection(), "shop-7");
/// assert_eq!(open.reason(), RejectionReason::HeldOpen);
/// assert_eq!(open.retry_after(), None);
/// ```
#[derive(Clone)]
pub struct CircuitOpen(Arc<Rejection>);

pub(crate) struct Rejection {
    pub(crate) connection: Arc<str>,
    pub(crate) operation: Option<&'static str>,
    pub(crate) reason: RejectionReason,
    /// The end of the cooldown, while the circuit is in one.
    pub(crate) until: Option<Time>,
    pub(crate) rejected_at: Time,
    /// The clock of the circuit. The circuit itself is not kept, so that a stored rejection does not prevent its eviction.
    pub(crate) clock: ClockNumber,
}

enum_with_texts! {
    /// The reason for a rejection.
    #[non_exhaustive]
    pub enum RejectionReason {
        /// The circuit is open, and its cooldown is not over.
        InCooldown => "in cooldown",
        /// The circuit is half-open, and all its probes are under way. They end at any moment, so a retry may pass
        /// shortly.
        ProbeInFlight => "probe in flight",
        /// The cooldown is over, but this operation must not be a probe (`probe = false`).
        NotAProbe => "not a probe",
        /// The circuit is held open until it is reset.
        HeldOpen => "held open",
    }

    /// Returns the reason as text, such as `in cooldown`.
    pub fn as_str;
}

impl CircuitOpen {
    pub(crate) fn new(rejection: Rejection) -> Self {
        Self(Arc::new(rejection))
    }

    /// The data of the rejection.
    #[inline]
    pub(crate) fn data(&self) -> &Rejection {
        &self.0
    }

    /// The data of the rejection, unless a caller holds a clone.
    pub(crate) fn data_mut(&mut self) -> Option<&mut Rejection> {
        Arc::get_mut(&mut self.0)
    }

    /// The key of the connection whose circuit rejected the call.
    #[must_use]
    pub fn connection(&self) -> &str {
        &self.0.connection
    }

    /// The operation that was rejected, if it has a name.
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        self.0.operation
    }

    /// How long to wait until another call may be admitted: what is left of the cooldown now, by the clock of the
    /// circuit. Zero once the cooldown is over. If that clock was dropped with its registry, it is what was left when the
    /// call was rejected.
    ///
    /// It is `Some` only for [`RejectionReason::InCooldown`]. There is no time to wait for with the other reasons:
    ///
    /// | reason | when a call may pass |
    /// |---|---|
    /// | [`ProbeInFlight`](RejectionReason::ProbeInFlight) | shortly: as soon as the probe ends, if it succeeds |
    /// | [`NotAProbe`](RejectionReason::NotAProbe) | after another operation has probed |
    /// | [`HeldOpen`](RejectionReason::HeldOpen) | after a reset |
    ///
    /// ```
    /// use std::time::Duration;
    /// use breaker_core::{Circuit, Config, RejectionReason, testing::ManualClock};
    ///
    /// let clock = ManualClock::new();
    /// let circuit = Circuit::with_clock("shop-7", Config::default(), clock.clone());
    /// circuit.trip();
    /// let open = circuit.try_acquire().unwrap_err();
    /// clock.advance(Duration::from_secs(20));
    /// assert_eq!(open.retry_after(), Some(Duration::from_secs(40)));
    /// clock.advance(Duration::from_secs(50));
    /// assert_eq!(open.retry_after(), Some(Duration::ZERO));
    ///
    /// let _probe = circuit.try_acquire().expect("the cooldown is over");
    /// let open = circuit.try_acquire().unwrap_err();
    /// assert_eq!((open.reason(), open.retry_after()), (RejectionReason::ProbeInFlight, None));
    /// ```
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let Rejection { until, rejected_at, clock, .. } = &*self.0;
        until.map(|until| until.since(clock.now().unwrap_or(*rejected_at)))
    }

    /// The reason for the rejection.
    #[must_use]
    pub fn reason(&self) -> RejectionReason {
        self.0.reason
    }
}

impl fmt::Display for CircuitOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rejection { connection, operation, reason, .. } = &*self.0;
        let state = match reason {
            RejectionReason::ProbeInFlight | RejectionReason::NotAProbe => State::HalfOpen,
            RejectionReason::InCooldown | RejectionReason::HeldOpen => State::Open,
        };
        let connection = one_line(connection);
        write!(f, "the circuit of connection `{connection}` is {state} ({reason})")?;
        if let Some(operation) = operation {
            write!(f, ", so `{}` was not called", one_line(operation))?;
        }
        match self.retry_after() {
            Some(wait) => write!(f, "; retry in {}", Rounded(wait)),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for CircuitOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CircuitOpen")
            .field("connection", &self.connection())
            .field("operation", &self.operation())
            .field("reason", &self.reason())
            .field("retry_after", &self.retry_after())
            .finish()
    }
}

std::thread_local! {
    /// Whether the next rejection that is asked for its source returns itself.
    static IS_SEARCHED: Cell<bool> = const { Cell::new(false) };
}

impl Error for CircuitOpen {
    /// Returns `None`, except in a search for rejections.
    ///
    /// A wrapper with `#[error(transparent)]` returns the source of the error that it hides. No type lists what a generic
    /// wrapper hides, so the search cannot ask the wrapper. The hidden rejection answers instead, because the wrapper asks it.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // Once, so that a `source()` which walks to the end of its own chain does not stay here.
        IS_SEARCHED.take().then_some(self)
    }
}

/// Returns the source of an error, or the rejection that it hides by returning the source of that.
#[inline]
pub(crate) fn source_or_hidden_rejection<E: Error + ?Sized>(error: &E) -> Option<&(dyn Error + 'static)> {
    /// Ends the search also where `source()` panics.
    struct EndOfSearch;
    impl Drop for EndOfSearch {
        fn drop(&mut self) {
            IS_SEARCHED.set(false);
        }
    }
    IS_SEARCHED.set(true);
    let _end = EndOfSearch;
    error.source()
}

/// A duration for humans: whole seconds, or milliseconds below one second, rounded up so that a caller that waits as
/// long is not too early.
struct Rounded(Duration);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_nanos() {
            nanos if nanos > 999_000_000 => write!(f, "{} s", nanos.div_ceil(1_000_000_000)),
            nanos => write!(f, "{} ms", nanos.div_ceil(1_000_000)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(reason: RejectionReason, retry_after: Option<Duration>) -> CircuitOpen {
        CircuitOpen::new(Rejection {
            connection: "shop-7".into(),
            operation: Some("verify"),
            reason,
            until: retry_after.map(|wait| Time::ORIGIN.after(wait)),
            rejected_at: Time::ORIGIN,
            // No clock has this number, so the time stands still.
            clock: ClockNumber::NONE,
        })
    }

    #[test]
    fn the_text_names_the_connection_and_when_to_retry() {
        let wait = Duration::from_millis(41_001);
        assert_eq!(
            open(RejectionReason::InCooldown, Some(wait)).to_string(),
            "the circuit of connection `shop-7` is open (in cooldown), so `verify` was not called; retry in 42 s"
        );
        assert_eq!(
            open(RejectionReason::HeldOpen, None).to_string(),
            "the circuit of connection `shop-7` is open (held open), so `verify` was not called"
        );
        assert_eq!(
            open(RejectionReason::ProbeInFlight, None).to_string(),
            "the circuit of connection `shop-7` is half-open (probe in flight), so `verify` was not called"
        );
        assert_eq!(
            open(RejectionReason::NotAProbe, None).to_string(),
            "the circuit of connection `shop-7` is half-open (not a probe), so `verify` was not called"
        );
    }

    #[test]
    fn a_wait_is_rounded_up() {
        let shown = |nanos| Rounded(Duration::from_nanos(nanos)).to_string();
        assert_eq!(shown(0), "0 ms");
        assert_eq!(shown(1), "1 ms");
        assert_eq!(shown(999_000_000), "999 ms");
        assert_eq!(shown(999_000_001), "1 s");
        assert_eq!(shown(1_000_000_001), "2 s");
    }

    #[test]
    fn a_rejection_is_one_pointer_wide() {
        assert_eq!(size_of::<CircuitOpen>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), CircuitOpen>>(), size_of::<usize>());
    }
}
