//! A guarded call without a system: the host passes the time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use breaker_core::{breaker, CircuitOpen, Clock, Config, ProvesReachable, Registry};

static MILLISECONDS: AtomicU32 = AtomicU32::new(0);

struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Duration {
        Duration::from_millis(MILLISECONDS.load(Ordering::Relaxed).into())
    }
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum ShopError {
    #[error("the shop did not answer")]
    NoAnswer,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

#[breaker(connection = ("shop", 7))]
fn stock(is_up: bool) -> Result<(), ShopError> {
    if is_up {
        Ok(())
    } else {
        Err(ShopError::NoAnswer)
    }
}

/// Makes a call at this time. Returns 0 if it failed, 1 if it succeeded, 2 if it was rejected in the cooldown, and 3 for any
/// other rejection.
#[no_mangle]
pub extern "C" fn call(milliseconds: u32, is_up: u32) -> u32 {
    MILLISECONDS.store(milliseconds, Ordering::Relaxed);
    // Fails from the second call on, because the registry is set already.
    let config = Config::builder().cooldown_jitter(0.1).build().unwrap_or_default();
    let _ = Registry::builder().config(config).clock(HostClock).build().map(Registry::set_global);
    match stock(is_up != 0) {
        Ok(()) => 1,
        Err(ShopError::NoAnswer) => 0,
        Err(ShopError::Rejected(open)) => 3 - u32::from(open.retry_after().is_some() && !open.to_string().is_empty()),
    }
}

/// Returns the number of circuits, after a search for idle ones.
#[no_mangle]
pub extern "C" fn circuits() -> usize {
    Registry::global().snapshots().len()
}
