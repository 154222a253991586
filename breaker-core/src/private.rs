//! What the macros' expansions name. Not for use by hand: it changes without notice.

#[doc(hidden)]
pub mod marks;

pub use crate::guard::Guard;
pub use crate::outcome::{ByClassifier, ByType, Judge, Outcome};
pub use crate::registry::Registry;
pub use crate::report::Report;
pub use crate::site::Site;

use crate::call::{self, GuardedFuture};
use crate::connection::Connection;
use crate::guard::Held;
use crate::rejection::CircuitOpen;

/// Admits a call to the circuit of a connection that outlives it.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit<'c, C: Connection + ?Sized>(
    site: &'static Site,
    registry: &Registry,
    connection: &'c C,
) -> Result<Guard<'c>, CircuitOpen> {
    admit_to(
        site,
        match connection.circuit() {
            Some(circuit) => Held::Borrowed(circuit),
            None => Held::Owned(registry.look_up(connection.key())),
        },
    )
}

/// Admits a call to the circuit of a connection that is borrowed for the admission alone.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit_owned<C: Connection + ?Sized>(
    site: &'static Site,
    registry: &Registry,
    connection: &C,
) -> Result<Guard<'static>, CircuitOpen> {
    admit_to(site, Held::Owned(registry.circuit(connection)))
}

#[inline]
fn admit_to<'c>(site: &'static Site, circuit: Held<'c>) -> Result<Guard<'c>, CircuitOpen> {
    let mut guard = Guard::unadmitted(circuit, site);
    guard.admit()?;
    Ok(guard)
}

/// Runs the body of a plain function that was admitted.
#[inline]
pub fn run<R>(guard: Guard<'_>, judge: &impl Judge<R>, body: impl FnOnce() -> R) -> R {
    call::run(guard, body, judge)
}

/// Runs the body of an asynchronous function that was admitted.
#[inline]
pub fn run_async<F: Future, J: Judge<F::Output>>(guard: Guard<'_>, judge: J, body: F) -> GuardedFuture<'_, F, J> {
    GuardedFuture::new(guard, body, judge)
}
