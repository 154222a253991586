//! The error of `eyre`.

use std::error::Error;

use super::{Dyn, first, outermost, report};
use crate::outcome::Evident;
use crate::rejection;
use crate::report::Report;
use crate::rules::Rules;

impl Evident for ::eyre::Report {
    #[cold]
    fn report(&self, rules: Rules<'_>) -> Report {
        // A marked type may stand in a context, where only `eyre` finds it.
        let speaker = outermost(self.as_ref())
            .or_else(|| outermost(boxed(self)?))
            .or_else(|| first(|finders| (finders.find_in_eyre)(self)));
        report::<Self>(self.as_ref(), boxed(self), speaker.as_ref(), rules)
    }
}

/// What it was made of, if that was a box: among its sources it hides behind a type of `eyre`'s own.
fn boxed(error: &::eyre::Report) -> Option<&Dyn> {
    error.downcast_ref::<Box<dyn Error + Send + Sync>>().map(|error| &**error as &Dyn)
}

/// Whether it passes on a rejection.
pub(crate) fn passes_on(error: &::eyre::Report) -> bool {
    rejection::in_chain(Some(error.as_ref())) || rejection::in_chain(boxed(error))
}
