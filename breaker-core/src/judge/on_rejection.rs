//! The return value of a call that was rejected.

use super::Outcome;
use crate::rejection::CircuitOpen;

/// An error that can carry a rejection to the caller.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot carry a rejection: it is not `From<CircuitOpen>`",
    label = "not `From<CircuitOpen>`",
    note = "add a variant to your own error, such as `#[error(transparent)] Rejected(#[from] CircuitOpen)`; to a type \
            parameter, the bound `From<CircuitOpen>`",
    note = "or write `fallback = |open| ..` with the value to return instead",
    note = "or leave the method out of an annotated `impl` block with `#[breaker(skip)]`"
)]
pub trait CarriesRejection {
    /// Makes the error that carries this rejection.
    fn carry(open: CircuitOpen) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<CircuitOpen>> CarriesRejection for E {
    fn carry(open: CircuitOpen) -> Self {
        open.into()
    }
}

/// Makes the return value of a rejected call.
pub trait OnRejection<R> {
    /// Returns the value for a rejected call.
    fn of_a_call(&mut self, open: CircuitOpen) -> R;
}

/// Returns the rejection as an error.
#[derive(Clone, Copy, Debug)]
pub struct PassOn;

impl<R> OnRejection<R> for PassOn
where
    R: Outcome,
    R::Error: CarriesRejection,
{
    #[cold]
    fn of_a_call(&mut self, open: CircuitOpen) -> R {
        R::from_error(R::Error::carry(open))
    }
}
