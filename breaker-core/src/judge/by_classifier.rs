//! Judgement by a classifier of the user's.

use super::Judge;
use crate::config::Config;
use crate::evidence::{Evidence, Judgement};

/// Judges a result by a function.
#[derive(Clone, Copy, Debug)]
pub struct ByClassifier<C>(pub(crate) C);

impl<T, E, C: Fn(&Result<T, E>) -> Evidence> Judge<Result<T, E>> for ByClassifier<C> {
    #[inline]
    fn judge(&self, result: &Result<T, E>, _: &Config) -> Judgement {
        let evidence = (self.0)(result);
        match result {
            Ok(_) => Judgement::of(evidence),
            Err(_) => Judgement::of_error::<E>(evidence),
        }
    }
}
