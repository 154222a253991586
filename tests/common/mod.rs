//! Helpers for tests of circuits: an error of each evidence, test beds, calls with a given result, and futures polled
//! by hand.
#![allow(dead_code, reason = "not every test uses every helper")]

pub(crate) mod chance;

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use breaker_core::testing::{EventLog, ManualClock, TestBed};
use breaker_core::{
    Circuit, CircuitOpen, Config, ConfigBuilder, Evidence, Permit, ProvesReachable, Reason, RegistryBuilder, State,
};

/// The cooldown of every circuit, unless a test sets another one.
pub(crate) const COOLDOWN: Duration = Duration::from_secs(90);
/// The default lease of a probe.
pub(crate) const LEASE: Duration = Duration::from_secs(30);
/// The smallest step of a clock.
pub(crate) const TICK: Duration = Duration::from_nanos(1);
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// A tick earlier.
pub(crate) fn just_before(time: Duration) -> Duration {
    time.checked_sub(TICK).unwrap()
}

/// An error of each kind.
#[derive(Debug)]
pub(crate) enum CallError {
    /// Marked: proves that the remote system answered.
    NotFound,
    /// The remote system did not answer.
    Down,
    /// Proves nothing.
    Busy,
    Rejected(CircuitOpen),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for CallError {}

impl ProvesReachable for CallError {
    fn evidence(&self) -> Evidence {
        match self {
            Self::NotFound => Evidence::Answered,
            Self::Down => Evidence::Failed,
            Self::Busy | Self::Rejected(_) => Evidence::Unknown,
        }
    }
}

impl From<CircuitOpen> for CallError {
    fn from(open: CircuitOpen) -> Self {
        Self::Rejected(open)
    }
}

pub(crate) type Outcome = Result<(), CallError>;

/// A closed circuit with these settings, and its clock. The cooldown is [`COOLDOWN`].
pub(crate) fn circuit(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> (Circuit, ManualClock) {
    let bed = test_bed(settings);
    (bed.registry.circuit("shop-7"), bed.clock)
}

/// A test bed whose circuits have these settings.
pub(crate) fn test_bed(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> TestBed {
    test_bed_with(settings, |registry| registry)
}

/// A test bed whose circuits and registry have these settings.
pub(crate) fn test_bed_with(
    settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder,
    registry: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
) -> TestBed {
    TestBed::with(|builder| registry(builder.config(config(settings)))).unwrap()
}

pub(crate) fn config(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> Config {
    settings(Config::builder().cooldown(COOLDOWN)).build().unwrap()
}

/// The changes of all circuits in a log.
pub(crate) fn changes(events: &EventLog) -> Vec<(State, State, Reason)> {
    events.all().iter().map(|event| (event.from, event.to, event.reason)).collect()
}

/// The reasons of all events in a log.
pub(crate) fn reasons(events: &EventLog) -> Vec<Reason> {
    events.all().iter().map(|event| event.reason).collect()
}

/// Makes a call that ends at once with this evidence. Returns whether the call was admitted.
pub(crate) fn call(circuit: &Circuit, evidence: Evidence) -> bool {
    let result: Outcome = circuit.call(|| match evidence {
        Evidence::Answered => Ok(()),
        Evidence::Failed => Err(CallError::Down),
        Evidence::Unknown => Err(CallError::Busy),
    });
    !matches!(result, Err(CallError::Rejected(_)))
}

pub(crate) fn fail(circuit: &Circuit, times: u32) {
    for _ in 0..times {
        assert!(call(circuit, Evidence::Failed), "the circuit is {}", circuit.state());
    }
}

pub(crate) fn succeed(circuit: &Circuit, times: u32) {
    for _ in 0..times {
        assert!(call(circuit, Evidence::Answered), "the circuit is {}", circuit.state());
    }
}

/// Makes failing calls until the circuit is open.
pub(crate) fn open(circuit: &Circuit) {
    while circuit.state() == State::Closed {
        fail(circuit, 1);
    }
    assert_eq!(circuit.state(), State::Open);
}

/// Opens a circuit and advances the clock to the end of its cooldown.
pub(crate) fn half_open(circuit: &Circuit, clock: &ManualClock) {
    open(circuit);
    clock.advance(COOLDOWN);
    assert_eq!(circuit.state(), State::HalfOpen);
}

/// Takes a permit, which must be granted.
pub(crate) fn permit(circuit: &Circuit) -> Permit {
    circuit.try_acquire().unwrap_or_else(|open| panic!("{open}"))
}

/// Whether the next call would be a probe. The slot is released before this returns.
pub(crate) fn has_free_slot(circuit: &Circuit) -> bool {
    assert_eq!(circuit.state(), State::HalfOpen);
    circuit.try_acquire().is_ok()
}

/// Polls a future once, with a waker that has no effect.
pub(crate) fn poll_once<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs a future to completion on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// A suspension point: returns `Pending` once.
pub(crate) async fn suspend() {
    let mut suspended = false;
    poll_fn(|cx| {
        if suspended {
            return Poll::Ready(());
        }
        suspended = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Runs a test on another thread with a time limit, so that a deadlock fails the test.
pub(crate) fn must_end<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    let thread = thread::spawn(move || {
        let _ = done.send(test());
    });
    match result.recv_timeout(Duration::from_secs(50)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the test hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().expect_err("the test sent no result"));
        }
    }
}

/// Runs code that may panic and returns the panic as an error.
pub(crate) fn catch<T>(body: impl FnOnce() -> T) -> thread::Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body))
}
