//! How a guarded function asks to be let in.

use crate::circuit::Circuit;
use crate::connection::Connection;
use crate::guard::{Guard, Held};
use crate::registry::Registry;
use crate::rejection::CircuitOpen;
use crate::site::Site;

/// The global registry, which is asked for only where a circuit has to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct Global;

impl AsRef<Registry> for Global {
    #[inline]
    fn as_ref(&self) -> &Registry {
        Registry::global()
    }
}

/// Admits a call to the circuit of a connection that outlives it.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit<'c, C, G>(connection: &'c C, registry: &G, site: &'static Site) -> Result<Guard<'c>, CircuitOpen>
where
    C: Connection + ?Sized,
    G: AsRef<Registry> + ?Sized,
{
    admit_to(
        match connection.circuit() {
            Some(circuit) => Held::Borrowed(circuit),
            None => Held::Owned(look_up(connection, registry)),
        },
        site,
    )
}

/// Admits a call to the circuit of a connection that is borrowed for the admission alone.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit_owned<C, G>(connection: &C, registry: &G, site: &'static Site) -> Result<Guard<'static>, CircuitOpen>
where
    C: Connection + ?Sized,
    G: AsRef<Registry> + ?Sized,
{
    admit_to(Held::Owned(circuit(connection, registry)), site)
}

#[inline]
fn admit_to<'c>(circuit: Held<'c>, site: &'static Site) -> Result<Guard<'c>, CircuitOpen> {
    let mut guard = Guard::unadmitted(circuit, site);
    guard.admit()?;
    Ok(guard)
}

#[inline]
pub(super) fn circuit<C, G>(connection: &C, registry: &G) -> Circuit
where
    C: Connection + ?Sized,
    G: AsRef<Registry> + ?Sized,
{
    match connection.circuit() {
        Some(circuit) => circuit.clone(),
        None => look_up(connection, registry),
    }
}

#[inline]
fn look_up<C, G>(connection: &C, registry: &G) -> Circuit
where
    C: Connection + ?Sized,
    G: AsRef<Registry> + ?Sized,
{
    registry.as_ref().look_up(connection.key())
}
