//! Judgement of an error of unknown type, which may be marked or belong to another crate.

#[cfg(feature = "tower")]
use std::error::Error;

use crate::evidence::error_chain::{KnownError, Root, registered, walk};
#[cfg(feature = "reqwest-middleware")]
use crate::evidence::{Evidence, Fault};
#[cfg(feature = "reqwest-middleware")]
use crate::transport;
#[cfg(feature = "tower")]
use crate::{config::Config, evidence::Judgement};

/// Returns the outermost error that has evidence. An `io::Error` is less specific than all others, so it is the last.
fn outermost(root: Root<'_>) -> Option<KnownError<'_>> {
    let known = walk(root, registered);
    #[cfg(feature = "io")]
    let known = known.or_else(|| {
        let error = walk(root, |error| error.downcast_ref::<std::io::Error>())?;
        Some(KnownError { name: std::any::type_name::<std::io::Error>, error })
    });
    known
}

/// Returns the evidence of the outermost error that has any; without one it is a failure.
#[cfg(feature = "reqwest-middleware")]
pub(crate) fn evidence(root: Root<'_>) -> Evidence {
    outermost(root).map_or(Evidence::Failed, |known| known.error.evidence())
}

/// Returns the transport fault of an error: what its type reports, or else what the types and words of its chain indicate.
#[cfg(feature = "reqwest-middleware")]
pub(crate) fn transport_fault(root: Root<'_>) -> Option<Fault> {
    match outermost(root).as_ref().and_then(transport::reported_by) {
        reported @ (None | Some(Fault::Named(_))) => Some(transport::fault_in(root, reported)),
        reported => reported,
    }
}

/// Judges an error under these settings.
#[cfg(feature = "tower")]
#[cold]
pub(crate) fn judgement(error: &(dyn Error + 'static), config: &Config) -> Judgement {
    let root = Root::Error(error);
    super::judgement::<Box<dyn Error>>(root, outermost(root).as_ref(), config)
}
