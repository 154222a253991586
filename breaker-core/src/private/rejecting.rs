//! What a guarded function returns in place of a call that was not made.

use crate::outcome::Outcome;
use crate::rejection::CircuitOpen;

/// An error that can carry a rejection to the caller.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot carry a rejection: it is not `From<CircuitOpen>`",
    label = "not `From<CircuitOpen>`",
    note = "add a variant to your own error, such as `#[error(transparent)] Rejected(#[from] CircuitOpen)`",
    note = "or give `fallback = |open| ..`, which says what to return instead"
)]
pub trait CarriesRejection {
    /// The error that carries this rejection.
    fn carry(open: CircuitOpen) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<CircuitOpen>> CarriesRejection for E {
    fn carry(open: CircuitOpen) -> Self {
        open.into()
    }
}

/// The call was not made: this is what the function returns.
#[cold]
pub fn reject<R>(open: CircuitOpen) -> R
where
    R: Outcome,
    R::Error: CarriesRejection,
{
    R::from_error(R::Error::carry(open))
}
