//! Calls with a timeout.

use std::time::Duration;

use tokio::time::error::Elapsed;

use crate::config::Config;
use crate::evidence::{Evidence, Fault, Judgement, NeverReachable, ProvesReachable};
use crate::judge::Judge;

/// A guarded call was dropped because its `timeout` expired. It counts as a failure.
///
/// ```
/// use breaker_core::{CircuitOpen, ProvesReachable, TimedOut};
///
/// #[derive(Debug, thiserror::Error, ProvesReachable)]
/// #[reachable(never)]
/// enum StockError {
///     #[error(transparent)]
///     TimedOut(#[from] TimedOut),
///     #[error(transparent)]
///     Rejected(#[from] CircuitOpen),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the call was dropped, because it had not finished within {limit:?}")]
#[non_exhaustive]
pub struct TimedOut {
    limit: Duration,
}

impl TimedOut {
    pub(crate) fn after(limit: Duration) -> Self {
        Self { limit }
    }

    /// The timeout of the call.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.limit
    }
}

impl NeverReachable for TimedOut {}

impl ProvesReachable for TimedOut {
    fn evidence(&self) -> Evidence {
        Evidence::Failed
    }

    fn transport_fault(&self) -> Option<Fault> {
        Some(Fault::Timeout)
    }
}

/// An error that can carry a timeout to the caller.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot carry a timeout: it is not `From<TimedOut>`",
    label = "not `From<TimedOut>`",
    note = "add a variant to your own error, such as `#[error(transparent)] TimedOut(#[from] TimedOut)`"
)]
pub trait CarriesTimeout {
    /// Makes the error that carries this timeout.
    fn carry(timed_out: TimedOut) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<TimedOut>> CarriesTimeout for E {
    fn carry(timed_out: TimedOut) -> Self {
        timed_out.into()
    }
}

/// Judges a result that arrived in time by another judge, and an expired timeout as a failure.
#[derive(Clone, Copy, Debug)]
pub struct TimedJudge<J>(pub(crate) J);

impl<R, J: Judge<R>> Judge<Result<R, Elapsed>> for TimedJudge<J> {
    #[inline]
    fn is_plain_success(&self, result: &Result<R, Elapsed>) -> bool {
        result.as_ref().is_ok_and(|result| self.0.is_plain_success(result))
    }

    #[inline]
    fn judge(&self, result: &Result<R, Elapsed>, config: &Config) -> Judgement {
        let Ok(result) = result else {
            let evidence = config.evidence_of_error(Evidence::Failed, Some(Fault::Timeout), || Fault::Timeout);
            return Judgement::of_error::<TimedOut>(evidence);
        };
        self.0.judge(result, config)
    }
}
