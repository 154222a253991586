//! How an expansion chooses the judge of a function's results.
//!
//! An expansion brings every trait of this module into scope and calls `(&returned).__breaker_judge()`: the first receiver that
//! fits decides, so a judge for `Returned<..>` itself goes before the one for `&Returned<..>`.

use super::Returned;
use crate::config::Config;
use crate::evidence::{Evidence, Judgement};
use crate::judge::{ByType, Judge, Outcome};

/// The judge of every type that has no special one.
pub trait JudgeByType {
    /// The judge.
    fn __breaker_judge(&self) -> ByType;
}

/// For every type, so that one which cannot be judged is reported where it is asked for a judgement, in words.
impl<R> JudgeByType for &Returned<R> {
    #[inline]
    fn __breaker_judge(&self) -> ByType {
        ByType
    }
}

/// Leaves every value a success: for a type that carries no HTTP status. One that does has a method of the same name
/// of its own (feature `http`), which is preferred.
pub trait JudgeValues: Sized {
    /// The judge of errors judges values too.
    #[inline]
    fn __breaker_judge_values<J>(self, errors: J) -> J {
        errors
    }
}

impl<R> JudgeValues for Returned<R> {}

/// Judges an error by a function of the user's: true is a failure, false says nothing. An error that passes on a
/// rejection says nothing either, whatever the function holds it for.
#[derive(Clone, Copy, Debug)]
pub struct ByFailure<F, P> {
    is_failure: F,
    passes_on: P,
}

/// The judge with `is_failure`. The expansion knows by the error's type whether it passes on a rejection.
#[inline]
pub fn failures<R, F, P>(_: Returned<R>, passes_on: P, is_failure: F) -> ByFailure<F, P>
where
    R: Outcome,
    F: Fn(&R::Error) -> bool,
    P: Fn(&R::Error) -> bool,
{
    ByFailure { is_failure, passes_on }
}

impl<R, F, P> Judge<R> for ByFailure<F, P>
where
    R: Outcome,
    F: Fn(&R::Error) -> bool,
    P: Fn(&R::Error) -> bool,
{
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        result.as_result().is_ok()
    }

    #[inline]
    fn judge(&self, result: &R, _: &Config) -> Judgement {
        match result.as_result() {
            Ok(_) => Judgement::ANSWERED,
            Err(error) if (self.is_failure)(error) && !(self.passes_on)(error) => {
                Judgement::of_error::<R::Error>(Evidence::Failed)
            }
            Err(_) => Judgement::of_error::<R::Error>(Evidence::Unknown),
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
    fn judge(&self, result: &R, config: &Config) -> Judgement {
        match result.as_result() {
            Ok(value) if !(self.is_success)(value) => Judgement::of(Evidence::Failed),
            _ => self.errors.judge(result, config),
        }
    }
}

/// Stands around a judge in an expansion, at the place of errors about what it judges.
#[inline]
pub fn judged_by<J>(judge: J) -> J {
    judge
}
