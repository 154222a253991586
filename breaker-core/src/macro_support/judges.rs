//! Choice of the judge for the results of a function.
//!
//! An expansion imports every trait of this module and calls `(&returned).__breaker_judge()`. Method resolution takes the
//! first receiver type that fits, so a judge for `Returned<..>` itself is preferred to one for `&Returned<..>`.

use super::Returned;
use crate::call::Continues;
use crate::config::Config;
use crate::evidence::{Evidence, Judgement};
use crate::judge::{ByType, Judge, Outcome};

#[cfg(feature = "stream")]
pub use super::stream_in_result::{JudgeBoxLikeResults, JudgeBoxStrictly, JudgePartsByTheirType};

/// The judge of every `Result` without a special one.
pub trait JudgeByType {
    /// Returns the judge.
    #[inline]
    fn __breaker_judge(&self) -> ByType {
        ByType
    }

    /// Returns the judge, where a type that is not a `Result` is reported elsewhere.
    #[inline]
    fn __breaker_unchecked_judge(&self) -> ByType {
        ByType
    }
}

impl<R: Outcome> JudgeByType for &Returned<R> {}

/// The judge of a type that is not a `Result`, which does not compile.
pub trait JudgeNothing<R> {
    /// Reports that the function must return a `Result`.
    fn __breaker_judge(&self) -> NotJudged
    where
        R: Outcome,
    {
        NotJudged(())
    }

    /// Reports nothing.
    fn __breaker_unchecked_judge(&self) -> NotJudged {
        NotJudged(())
    }
}

impl<R> JudgeNothing<R> for &&Returned<R> {}

/// A judge of every type, so that a function that does not return a `Result` causes no second error where its future is
/// awaited. There the compiler would also suggest to remove the `.await`.
#[derive(Debug)]
pub struct NotJudged(());

impl<R> Judge<R> for NotJudged {
    fn judge(&self, _: &R, _: &Config) -> Judgement {
        unreachable!("a function that does not return a `Result` does not compile")
    }
}

/// Judges every value as a success, for types without an HTTP status. A type with a status has an inherent method of the
/// same name (feature `http`), which method resolution prefers.
pub trait JudgeValues: Sized {
    /// Returns the judge of errors, which judges values too.
    #[inline]
    fn __breaker_judge_values<J>(self, errors: J) -> J {
        errors
    }
}

impl<R> JudgeValues for Returned<R> {}

/// Judges an error by a user's function: `true` is Failed, `false` is Unknown. An error that passes on a rejection is Unknown
/// whatever the function returns.
#[derive(Clone, Copy, Debug)]
pub struct ByFailure<F, P> {
    is_failure: F,
    passes_on: P,
}

/// Creates the judge for `is_failure`. `passes_on` comes from the expansion, which derives it from the error's type.
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

/// Judges a value by a user's function, and an error by another judge.
#[derive(Clone, Copy, Debug)]
pub struct BySuccess<F, J> {
    is_success: F,
    errors: J,
}

/// Creates the judge for `is_success`.
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

impl<R> Continues<R> for NotJudged {}

impl<R, F, P> Continues<R> for ByFailure<F, P> {}

impl<R, F, J> Continues<R> for BySuccess<F, J> {}

/// Returns the judge unchanged. The call gives errors about the judged type their span.
#[inline]
pub fn judged_by<J>(judge: J) -> J {
    judge
}
