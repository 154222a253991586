//! Tools for tests of integration code.
//!
//! [`ManualClock`] is always available. The feature `testing` adds `TestBed`, which gives each test circuits of its own,
//! `EventLog`, which asserts the history of a circuit, and `force`, which puts a circuit into a state.
#![cfg_attr(
    feature = "testing",
    doc = r#"
```
use std::time::Duration;
use breaker_core::{CircuitOpen, Evidence, Registry, State, testing::TestBed};

let bed = TestBed::new();
let _entered = bed.enter();

// The code under test uses the global registry.
for _ in 0..5 {
    Registry::global().circuit("shop-7").try_acquire()?.settle(Evidence::Failed);
}
bed.clock.advance(Duration::from_secs(60));
Registry::global().circuit("shop-7").try_acquire()?.settle(Evidence::Answered);

bed.events.assert_states("shop-7", [State::Closed, State::Open, State::HalfOpen, State::Closed]);
# Ok::<(), CircuitOpen>(())
```
"#
)]

#[cfg(feature = "testing")]
mod bed;
mod clock;
#[cfg(feature = "testing")]
mod event_log;
#[cfg(feature = "testing")]
mod force;
#[cfg(feature = "testing")]
mod scope;

#[cfg(feature = "testing")]
pub use bed::TestBed;
pub use clock::ManualClock;
#[cfg(feature = "testing")]
pub use event_log::EventLog;
#[cfg(feature = "testing")]
pub use force::force;
#[cfg(feature = "testing")]
pub use scope::{Entered, Scoped};
