//! Judges an error whose type is not known.

use std::error::Error;

use super::evident;
use crate::evidence::{Evidence, ProvesReachable};
use crate::rejection;
use crate::transport::chain;
#[cfg(feature = "tower")]
use crate::{report::Report, rules::Rules, transport::fault_of_dyn};

/// The outermost error of a chain whose type is known to say what it proves.
fn outermost<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e dyn ProvesReachable> {
    chain(Some(error)).find_map(evident)
}

/// What an error proves: the outermost one of its chain that knows decides, and where none does it is a failure.
pub(super) fn evidence(error: &(dyn Error + 'static)) -> Evidence {
    outermost(error).map_or(Evidence::Failed, ProvesReachable::evidence)
}

/// Whether an error passes on a rejection.
pub(super) fn passes_on_rejection(error: &(dyn Error + 'static)) -> bool {
    rejection::in_chain(Some(error)) || outermost(error).is_some_and(ProvesReachable::passes_on_rejection)
}

/// What an error says under these settings.
#[cfg(feature = "tower")]
#[cold]
pub(super) fn report(error: &(dyn Error + 'static), rules: Rules<'_>) -> Report {
    let evidence = if passes_on_rejection(error) {
        Evidence::Unknown
    } else {
        let told = outermost(error).and_then(ProvesReachable::transport_fault);
        rules.evidence_of_error(evidence(error), told, || fault_of_dyn(error))
    };
    Report::of_error::<Box<dyn Error>>(evidence)
}
