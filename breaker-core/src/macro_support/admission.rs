//! Admission of a guarded function: its registry, its circuit and its call.

use super::kinds::Kind;
use crate::call::Call;
use crate::circuit::{At, CallSite, Circuit, Connection, HeldCircuit};
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

/// A connection that outlives the call, as a receiver of `hold`, which an expansion calls with [`HoldAny`] imported.
///
/// A connection that is a circuit has an inherent `hold`, which method resolution prefers. Its call then has nothing to
/// release at the end.
#[derive(Debug)]
pub struct Outliving<'c, C: ?Sized>(pub &'c C);

impl<'c> Outliving<'c, Circuit> {
    /// Returns the circuit.
    #[inline]
    #[must_use]
    pub fn hold<G: GivesRegistry + ?Sized>(self, _: &G) -> OutlivingCircuit<'c> {
        OutlivingCircuit(self.0)
    }
}

/// Holds the circuit of any connection that outlives the call.
pub trait HoldAny<'c, C: ?Sized> {
    /// Returns the circuit: see [`hold`].
    fn hold<G: GivesRegistry + ?Sized>(self, registry: &G) -> HeldCircuit<'c>
    where
        C: Connection;
}

impl<'c, C: ?Sized> HoldAny<'c, C> for Outliving<'c, C> {
    #[inline]
    fn hold<G: GivesRegistry + ?Sized>(self, registry: &G) -> HeldCircuit<'c>
    where
        C: Connection,
    {
        hold(self.0, registry)
    }
}

/// A circuit that outlives the call.
#[derive(Clone, Copy, Debug)]
pub struct OutlivingCircuit<'c>(&'c Circuit);

/// An admitted call of an annotated function, or its rejection. `S` returns the call site.
type AdmittedAt<'c, S> = Result<Call<At<'c, S>>, CircuitOpen>;

impl<'c> OutlivingCircuit<'c> {
    /// Admits a call to the circuit.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] where the circuit rejects the call.
    #[inline]
    pub fn admit<S: Fn() -> &'static CallSite>(self, call_site: S) -> AdmittedAt<'c, S> {
        Call::admitted(At::new(self.0, call_site))
    }
}

impl HeldCircuit<'_> {
    /// Admits a call to the circuit.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] where the circuit rejects the call.
    #[inline]
    pub fn admit<S: Fn() -> &'static CallSite>(&self, call_site: S) -> AdmittedAt<'_, S> {
        Call::admitted(At::new(self.circuit(), call_site))
    }
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
