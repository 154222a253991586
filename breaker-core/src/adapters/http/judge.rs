//! Judges what a call returned by the HTTP status that it carries.

use super::CarriesStatus;
use crate::outcome::{Judge, Outcome};
use crate::private::Returned;
use crate::report::Report;
use crate::rules::Rules;

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
    fn report(&self, result: &R, rules: Rules<'_>) -> Report {
        match result.as_result() {
            Ok(value) => of_value(value, rules),
            Err(_) => self.0.report(result, rules),
        }
    }
}

/// For expansions: the value of what the function returns carries an HTTP status.
impl<R> Returned<R>
where
    R: Outcome,
    R::Value: CarriesStatus,
{
    /// The judge that judges values by their status.
    #[inline]
    pub fn __breaker_judge_values<J>(self, errors: J) -> ByStatus<J> {
        ByStatus(errors)
    }
}

#[inline]
fn of_value<T: CarriesStatus>(value: &T, rules: Rules<'_>) -> Report {
    match value.carried_status() {
        None | Some(200..=299) => Report::ANSWERED,
        Some(status) => Report::of(rules.evidence_of_status(status)),
    }
}
