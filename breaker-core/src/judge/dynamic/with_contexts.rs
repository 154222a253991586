//! Judgement of `anyhow::Error` and `eyre::Report`, whose contexts only these crates can search.

use std::error::Error;

use super::{Dyn, first, judgement, outermost};
use crate::config::Config;
use crate::evidence::Judgement;
use crate::evidence::error_chain::contains_rejection;
use crate::judge::JudgedByType;

macro_rules! judge_with_contexts {
    ($(#[cfg($feature:meta)] $module:ident: $error:ty, $find:ident;)*) => {$(
        #[cfg($feature)]
        pub(crate) mod $module {
            use super::*;

            impl JudgedByType for $error {
                #[cold]
                fn judgement(&self, config: &Config) -> Judgement {
                    // A marked type may be a context, which only the error itself can find.
                    let known = outermost(self.as_ref())
                        .or_else(|| outermost(boxed(self)?))
                        .or_else(|| first(|downcasts| (downcasts.$find)(self)));
                    judgement::<Self>(self.as_ref(), boxed(self), known.as_ref(), config)
                }
            }

            /// Returns the boxed error from which the error was made. The chain hides it behind a type of the crate.
            fn boxed(error: &$error) -> Option<&Dyn> {
                error.downcast_ref::<Box<dyn Error + Send + Sync>>().map(|error| &**error as &Dyn)
            }

            /// Whether the error passes on a rejection.
            pub(crate) fn passes_on(error: &$error) -> bool {
                contains_rejection(Some(error.as_ref())) || contains_rejection(boxed(error))
            }
        }
    )*};
}

judge_with_contexts! {
    #[cfg(feature = "anyhow")] anyhow: ::anyhow::Error, find_in_anyhow;
    #[cfg(feature = "eyre")] eyre: ::eyre::Report, find_in_eyre;
}
