//! How an expansion chooses the judge of a function's results.
//!
//! An expansion brings every trait of this module into scope and calls `(&returned).judge()`: the first receiver that
//! fits decides, so a judge for `Returned<..>` itself goes before the one for `&Returned<..>`.

use super::Returned;
use crate::evidence::Evidence;
use crate::outcome::{ByType, Judge, Outcome};
use crate::report::Report;
use crate::rules::Rules;

/// The judge of every type that has no special one.
pub trait JudgeByType {
    /// The judge.
    fn judge(&self) -> ByType;
}

/// For every type, so that one which cannot be judged is reported where it is asked for a judgement, in words.
impl<R> JudgeByType for &Returned<R> {
    #[inline]
    fn judge(&self) -> ByType {
        ByType
    }
}

/// Leaves every value a success: for a type that carries no HTTP status. One that does has a method of the same name
/// of its own (feature `http`), which is preferred.
pub trait JudgeValues: Sized {
    /// The judge of errors judges values too.
    #[inline]
    fn judge_values<J>(self, errors: J) -> J {
        errors
    }
}

impl<R> JudgeValues for Returned<R> {}

/// Judges an error by a function of the user's: true is a failure, false says nothing.
#[derive(Clone, Copy, Debug)]
pub struct ByFailure<F>(F);

/// The judge with `is_failure`.
#[inline]
pub fn failures<R: Outcome, F: Fn(&R::Error) -> bool>(_: Returned<R>, is_failure: F) -> ByFailure<F> {
    ByFailure(is_failure)
}

impl<R: Outcome, F: Fn(&R::Error) -> bool> Judge<R> for ByFailure<F> {
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        result.as_result().is_ok()
    }

    #[inline]
    fn report(&self, result: &R, _: Rules<'_>) -> Report {
        match result.as_result() {
            Ok(_) => Report::ANSWERED,
            Err(error) if (self.0)(error) => Report::of_error::<R::Error>(Evidence::Failed),
            Err(_) => Report::of_error::<R::Error>(Evidence::Unknown),
        }
    }
}

/// Judges a value by a function of the user's, and an error by another judge.
#[derive(Clone, Copy, Debug)]
pub struct BySuccess<F, J> {
    is_success: F,
    errors: J,
}

/// The judge with `is_success`.
#[inline]
pub fn successes<R: Outcome, F: Fn(&R::Value) -> bool, J>(_: Returned<R>, is_success: F, errors: J) -> BySuccess<F, J> {
    BySuccess { is_success, errors }
}

impl<R: Outcome, F: Fn(&R::Value) -> bool, J: Judge<R>> Judge<R> for BySuccess<F, J> {
    #[inline]
    fn report(&self, result: &R, rules: Rules<'_>) -> Report {
        match result.as_result() {
            Ok(value) if !(self.is_success)(value) => Report::of(Evidence::Failed),
            _ => self.errors.report(result, rules),
        }
    }
}

/// Stands around a judge in an expansion, at the place of errors about what it judges.
#[inline]
pub fn judged_by<J>(judge: J) -> J {
    judge
}
