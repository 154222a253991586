//! Judgement of `anyhow::Error`.

use std::error::Error;

use super::{Dyn, first, judgement, outermost};
use crate::config::Config;
use crate::evidence::Judgement;
use crate::evidence::error_chain::contains_rejection;
use crate::judge::JudgedByType;

impl JudgedByType for ::anyhow::Error {
    #[cold]
    fn judgement(&self, config: &Config) -> Judgement {
        // A marked type may be a context, which only `anyhow` can find.
        let known = outermost(self.as_ref())
            .or_else(|| outermost(boxed(self)?))
            .or_else(|| first(|downcasts| (downcasts.find_in_anyhow)(self)));
        judgement::<Self>(self.as_ref(), boxed(self), known.as_ref(), config)
    }
}

/// Returns the boxed error from which the error was made. The chain hides it behind a type of `anyhow`.
fn boxed(error: &::anyhow::Error) -> Option<&Dyn> {
    error.downcast_ref::<Box<dyn Error + Send + Sync>>().map(|error| &**error as &Dyn)
}

/// Whether the error passes on a rejection.
pub(crate) fn passes_on(error: &::anyhow::Error) -> bool {
    contains_rejection(Some(error.as_ref())) || contains_rejection(boxed(error))
}
