//! Judges an error whose type is not known, and which may as well be one of another crate as one with marks.

use std::error::Error;

use super::dynamic::{self, Speaker};
use super::evident;
#[cfg(feature = "reqwest-middleware")]
use crate::evidence::Evidence;
use crate::rejection;
use crate::transport::chain;
#[cfg(feature = "tower")]
use crate::{report::Report, rules::Rules};

/// The outermost error of a chain that says what it proves.
fn outermost<'e>(error: &'e (dyn Error + 'static)) -> Option<Speaker<'e>> {
    chain(Some(error)).find_map(|error| evident(error).or_else(|| dynamic::marked(error)))
}

/// What an error proves: the outermost one of its chain that knows decides, and where none does it is a failure.
#[cfg(feature = "reqwest-middleware")]
pub(super) fn evidence(error: &(dyn Error + 'static)) -> Evidence {
    outermost(error).map_or(Evidence::Failed, |speaker| speaker.error.evidence())
}

/// Whether an error passes on a rejection.
pub(super) fn passes_on_rejection(error: &(dyn Error + 'static)) -> bool {
    rejection::in_chain(Some(error)) || outermost(error).is_some_and(|speaker| speaker.error.passes_on_rejection())
}

/// What an error says under these settings.
#[cfg(feature = "tower")]
#[cold]
pub(super) fn report(error: &(dyn Error + 'static), rules: Rules<'_>) -> Report {
    dynamic::report::<Box<dyn Error>>(error, None, outermost(error).as_ref(), rules)
}
