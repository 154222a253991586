//! Judgement by the type of the returned error.

use super::{Judge, Outcome};
use crate::config::Config;
use crate::evidence::{Evidence, Judgement, ProvesReachable};
use crate::transport;

/// An error whose evidence comes from its type.
pub trait JudgedByType {
    /// Returns the judgement of this value.
    fn judgement(&self, config: &Config) -> Judgement;
}

/// Whatever the type declares, an error that passes on a rejection is never evidence.
impl<E: ProvesReachable> JudgedByType for E {
    #[inline]
    fn judgement(&self, config: &Config) -> Judgement {
        let evidence = match self.evidence() {
            Evidence::Answered | Evidence::Failed
                if !self.evidence_regards_rejection() && self.rejection().is_some() =>
            {
                Evidence::Unknown
            }
            evidence => {
                let reported = self.transport_fault();
                config.evidence_of_error(evidence, reported, || transport::fault_of(self, reported))
            }
        };
        Judgement::of_error::<E>(evidence)
    }
}

/// Judges a result by its type.
#[derive(Clone, Copy, Debug)]
pub struct ByType;

impl<R> Judge<R> for ByType
where
    R: Outcome,
    R::Error: JudgedByType,
{
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        result.as_result().is_ok()
    }

    #[inline]
    fn judge(&self, result: &R, config: &Config) -> Judgement {
        match result.as_result() {
            Ok(_) => Judgement::ANSWERED,
            Err(error) => error.judgement(config),
        }
    }
}
