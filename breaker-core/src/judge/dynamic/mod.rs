//! Judgement of errors of hidden type: `Box<dyn Error + Send + Sync>`, `anyhow::Error` and `eyre::Report`. The outermost
//! error inside that has evidence decides.

mod boxed;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(crate) mod unknown_type;
#[cfg(any(feature = "anyhow", feature = "eyre"))]
mod with_contexts;

use std::any::type_name;

use crate::config::Config;
use crate::evidence::error_chain::{KnownError, Root, rejection_in};
use crate::evidence::{Evidence, Judgement, TypeName};
use crate::transport;

/// Judges a dynamic error of type `E` by the known error inside it. Without one, it is a failure. If a rejection is
/// anywhere inside, it is never evidence.
fn judgement<E>(root: Root<'_>, known: Option<&KnownError<'_>>, config: &Config) -> Judgement {
    let name = known.map_or(type_name::<E> as TypeName, |known| known.name);
    let evidence = if rejection_in(root).is_some() {
        Evidence::Unknown
    } else {
        let evidence = known.map_or(Evidence::Failed, |known| known.error.evidence());
        let reported = known.and_then(transport::reported_by);
        config.evidence_of_error(evidence, reported, || transport::fault_in(root, reported))
    };
    Judgement::of_named_error(evidence, name)
}
