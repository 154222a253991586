//! Judgement of `eyre::Report`.

use std::error::Error;

use super::{Dyn, first, judgement, outermost};
use crate::config::Config;
use crate::evidence::Judgement;
use crate::evidence::error_chain::contains_rejection;
use crate::judge::JudgedByType;

impl JudgedByType for ::eyre::Report {
    #[cold]
    fn judgement(&self, config: &Config) -> Judgement {
        // A marked type may be a context, which only `eyre` can find.
        let known = outermost(self.as_ref())
            .or_else(|| outermost(boxed(self)?))
            .or_else(|| first(|downcasts| (downcasts.find_in_eyre)(self)));
        judgement::<Self>(self.as_ref(), boxed(self), known.as_ref(), config)
    }
}

/// Returns the boxed error from which the report was made. The chain hides it behind a type of `eyre`.
fn boxed(error: &::eyre::Report) -> Option<&Dyn> {
    error.downcast_ref::<Box<dyn Error + Send + Sync>>().map(|error| &**error as &Dyn)
}

/// Whether the report passes on a rejection.
pub(crate) fn passes_on(error: &::eyre::Report) -> bool {
    contains_rejection(Some(error.as_ref())) || contains_rejection(boxed(error))
}
