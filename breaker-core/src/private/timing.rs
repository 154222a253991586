//! How the body of a function with a time limit runs.

use std::time::Duration;

use tokio::time::error::Elapsed;
use tokio::time::{Timeout, timeout};

use crate::adapters::tokio::{CarriesTimeout, TimedJudge, TimedOut};
use crate::outcome::Outcome;

/// The body, which is given up when it has run for this long.
#[inline]
pub fn timed<F: Future>(limit: Duration, body: F) -> Timeout<F> {
    timeout(limit, body)
}

/// The judge of such a body.
#[inline]
pub fn timed_judge<J>(judge: J) -> TimedJudge<J> {
    TimedJudge(judge)
}

/// What came in time, or the error that nothing did.
#[inline]
pub fn in_time<R>(limit: Duration, result: Result<R, Elapsed>) -> R
where
    R: Outcome,
    R::Error: CarriesTimeout,
{
    match result {
        Ok(result) => result,
        Err(_) => R::from_error(R::Error::carry(TimedOut::after(limit))),
    }
}
