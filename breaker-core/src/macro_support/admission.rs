//! How a guarded function asks to be let in.

use super::kinds::Kind;
use crate::call::Call;
use crate::circuit::{CallSite, Circuit, Connection, HeldCircuit};
use crate::registry::Registry;
use crate::rejection::CircuitOpen;

/// The global registry, which is asked for only where a circuit has to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct Global;

impl AsRef<Registry> for Global {
    #[inline]
    fn as_ref(&self) -> &Registry {
        Registry::global()
    }
}

/// What `registry` names.
#[diagnostic::on_unimplemented(
    message = "`registry` names a `Registry`, and `{Self}` is none",
    label = "not a `Registry`",
    note = "give a `Registry`, a reference to one, or what is `AsRef<Registry>`, such as `registry = self.registry`"
)]
pub trait GivesRegistry {
    /// The registry.
    fn registry(&self) -> &Registry;
}

#[diagnostic::do_not_recommend]
impl<G: AsRef<Registry> + ?Sized> GivesRegistry for G {
    #[inline]
    fn registry(&self) -> &Registry {
        self.as_ref()
    }
}

/// Holds the circuit of a connection that outlives the call.
#[inline]
pub fn hold<'c, C, G>(connection: &'c C, registry: &G) -> HeldCircuit<'c>
where
    C: Connection + ?Sized,
    G: GivesRegistry + ?Sized,
{
    match connection.circuit() {
        Some(circuit) => HeldCircuit::Borrowed(circuit),
        None => look_up(connection, registry),
    }
}

/// Holds the circuit of a connection that is borrowed for this alone.
#[inline]
pub fn hold_owned<C, G>(connection: &C, registry: &G) -> HeldCircuit<'static>
where
    C: Connection + ?Sized,
    G: GivesRegistry + ?Sized,
{
    match connection.circuit() {
        Some(circuit) => HeldCircuit::Owned(circuit.clone()),
        None => look_up(connection, registry),
    }
}

/// Admits a call to the circuit.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit<'c>(held: &'c HeldCircuit<'_>, site: &'static CallSite) -> Result<Call<&'c Circuit>, CircuitOpen> {
    Call::admitted(held.circuit(), site)
}

/// Admits a call as this kind of function does.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit_as<'c, K: Kind>(
    _: &K,
    held: &'c HeldCircuit<'_>,
    site: &'static CallSite,
) -> Result<K::Call<'c>, CircuitOpen> {
    K::admit(held, site)
}

/// The circuit itself, for a call that is made later.
#[inline]
#[must_use]
pub fn own(held: HeldCircuit<'_>) -> Circuit {
    held.into_owned()
}

#[inline]
fn look_up<C, G>(connection: &C, registry: &G) -> HeldCircuit<'static>
where
    C: Connection + ?Sized,
    G: GivesRegistry + ?Sized,
{
    registry.registry().look_up(&connection.key())
}
