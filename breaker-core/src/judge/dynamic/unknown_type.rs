//! Judgement of an error of unknown type, which may be marked or belong to another crate.

use std::error::Error;

use super::{KnownError, marked};
#[cfg(feature = "reqwest-middleware")]
use crate::evidence::Evidence;
use crate::evidence::error_chain::{chain, contains_rejection};
#[cfg(feature = "tower")]
use crate::{config::Config, evidence::Judgement};

/// Returns the outermost error of a chain that has evidence.
fn outermost<'e>(error: &'e (dyn Error + 'static)) -> Option<KnownError<'e>> {
    chain(Some(error)).find_map(|error| evident(error).or_else(|| marked(error)))
}

/// Returns the evidence of the outermost error of the chain that has any; without one it is a failure.
#[cfg(feature = "reqwest-middleware")]
pub(crate) fn evidence(error: &(dyn Error + 'static)) -> Evidence {
    outermost(error).map_or(Evidence::Failed, |known| known.error.evidence())
}

/// Whether an error passes on a rejection.
pub(crate) fn passes_on_rejection(error: &(dyn Error + 'static)) -> bool {
    contains_rejection(Some(error)) || outermost(error).is_some_and(|known| known.error.passes_on_rejection())
}

/// Judges an error under these settings.
#[cfg(feature = "tower")]
#[cold]
pub(crate) fn judgement(error: &(dyn Error + 'static), config: &Config) -> Judgement {
    super::judgement::<Box<dyn Error>>(error, None, outermost(error).as_ref(), config)
}

/// Returns an error of another crate that has evidence, if its type is known.
fn evident<'e>(error: &'e (dyn Error + 'static)) -> Option<KnownError<'e>> {
    #[cfg(any(feature = "io", feature = "reqwest", feature = "tonic"))]
    fn known<E: crate::ProvesReachable>(error: &E) -> KnownError<'_> {
        KnownError { name: std::any::type_name::<E>, error }
    }
    type Known = for<'e> fn(&'e (dyn Error + 'static)) -> Option<KnownError<'e>>;
    const EVIDENT: &[Known] = &[
        #[cfg(feature = "io")]
        |error| error.downcast_ref::<std::io::Error>().map(known),
        #[cfg(feature = "reqwest")]
        |error| error.downcast_ref::<::reqwest::Error>().map(known),
        #[cfg(feature = "reqwest-middleware")]
        |error| error.downcast_ref::<::reqwest_middleware::Error>().map(known),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref::<::tonic::Status>().map(known),
    ];
    EVIDENT.iter().find_map(|known| known(error))
}
