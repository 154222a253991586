//! Judgement by the HTTP status of a returned value.

use crate::config::Config;
use crate::evidence::CarriesStatus;
use crate::evidence::Judgement;
use crate::judge::{Judge, Outcome};

/// Judges a value by its HTTP status, and an error by another judge.
#[derive(Clone, Copy, Debug)]
pub struct ByStatus<J>(pub(crate) J);

impl<R, J> Judge<R> for ByStatus<J>
where
    R: Outcome,
    R::Value: CarriesStatus,
    J: Judge<R>,
{
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        matches!(result.as_result().map(CarriesStatus::carried_status), Ok(None | Some(200..=299)))
    }

    #[inline]
    fn judge(&self, result: &R, config: &Config) -> Judgement {
        match result.as_result() {
            Ok(value) => of_value(value, config),
            Err(_) => self.0.judge(result, config),
        }
    }
}

#[inline]
fn of_value<T: CarriesStatus>(value: &T, config: &Config) -> Judgement {
    match value.carried_status() {
        None | Some(200..=299) => Judgement::ANSWERED,
        Some(_) if !config.response_statuses() => Judgement::ANSWERED,
        Some(status) => Judgement::of(config.evidence_of_status(status)),
    }
}
