//! Admission of a guarded function: its registry, its circuit and its call.

use super::kinds::Kind;
use crate::call::Call;
use crate::circuit::{CallSite, Circuit, Connection, HeldCircuit};
use crate::registry::Registry;
use crate::rejection::CircuitOpen;

/// The global registry, resolved only where a circuit has to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct Global;

impl AsRef<Registry> for Global {
    #[inline]
    fn as_ref(&self) -> &Registry {
        Registry::global()
    }
}

/// The value of the argument `registry`.
#[diagnostic::on_unimplemented(
    message = "`registry` needs a `Registry`, but `{Self}` is not one",
    label = "not a `Registry`",
    note = "write a `Registry`, a reference to one, or a type that implements `AsRef<Registry>`, for example `registry = self.registry`"
)]
pub trait GivesRegistry {
    /// Returns the registry.
    fn registry(&self) -> &Registry;
}

#[diagnostic::do_not_recommend]
impl<G: AsRef<Registry> + ?Sized> GivesRegistry for G {
    #[inline]
    fn registry(&self) -> &Registry {
        self.as_ref()
    }
}

/// Returns the circuit of a connection that outlives the call.
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

/// Returns the circuit of a connection that is borrowed only for this function.
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
pub fn admit<'c>(held: &'c HeldCircuit<'_>, call_site: &'static CallSite) -> Result<Call<&'c Circuit>, CircuitOpen> {
    Call::admitted(held.circuit(), call_site)
}

/// Admits a call in the way that this kind of function needs.
///
/// # Errors
///
/// [`CircuitOpen`] where the circuit rejects the call.
#[inline]
pub fn admit_as<'c, K: Kind>(
    _: &K,
    held: &'c HeldCircuit<'_>,
    call_site: &'static CallSite,
) -> Result<K::Call<'c>, CircuitOpen> {
    K::admit(held, call_site)
}

/// Returns an owned circuit, for a call that is made later.
#[inline]
#[must_use]
pub fn into_circuit(held: HeldCircuit<'_>) -> Circuit {
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
