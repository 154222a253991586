//! Functions that return a `reqwest::Response` with `settles = end`.

use super::Returned;
use super::kinds::JudgesStream;
use crate::integrations::part_of_call::WithBody;

/// Functions that return a `reqwest::Response` in a `Result`.
pub trait JudgeBodyToTheEnd: Sized {
    /// Returns the judge, given the judge of errors.
    fn __breaker_judge_values<J>(self, errors: J) -> WithBody<J> {
        WithBody::new(errors)
    }
}

impl<E> JudgeBodyToTheEnd for &&Returned<Result<reqwest::Response, E>> {}

#[diagnostic::do_not_recommend]
impl<J> JudgesStream for WithBody<J> {}
