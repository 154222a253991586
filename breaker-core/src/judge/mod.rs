//! Judges: from the returned value of a call to a judgement.

mod by_classifier;
mod by_type;
#[cfg(feature = "dynamic")]
pub(crate) mod dynamic;
#[cfg(feature = "http")]
mod http;
mod on_rejection;
#[cfg(feature = "tokio")]
mod timeout;

use std::sync::Arc;

pub(crate) use by_classifier::ByClassifier;
pub use by_type::{ByType, JudgedByType};
#[cfg(feature = "http")]
pub use http::ByStatus;
pub use on_rejection::{CarriesRejection, OnRejection, PassOn};
#[cfg(feature = "tokio")]
pub use timeout::{CarriesTimeout, TimedJudge, TimedOut};

use crate::config::Config;
use crate::evidence::Judgement;

/// A judge of the results of calls.
pub trait Judge<R> {
    /// Whether the result is a plain success, if that can be decided without a judgement. It saves the common call the
    /// rest.
    #[inline]
    fn is_plain_success(&self, _result: &R) -> bool {
        false
    }

    /// Judges the result.
    fn judge(&self, result: &R, config: &Config) -> Judgement;
}

impl<R, J: Judge<R> + ?Sized> Judge<R> for Arc<J> {
    #[inline]
    fn is_plain_success(&self, result: &R) -> bool {
        (**self).is_plain_success(result)
    }

    #[inline]
    fn judge(&self, result: &R, config: &Config) -> Judgement {
        (**self).judge(result, config)
    }
}

/// The return type of a guarded call: a `Result`, under any alias.
#[cfg_attr(
    not(feature = "stream"),
    diagnostic::on_unimplemented(note = "to guard a boxed stream, turn on the feature `stream` of `breaker-core`")
)]
#[diagnostic::on_unimplemented(
    message = "a guarded function must return a `Result`, but `{Self}` is not one",
    label = "not a `Result`",
    note = "failures and rejections are errors: return `Result<_, E>`",
    note = "to leave a method out of an annotated `impl` block, write `#[breaker(skip)]` on it"
)]
pub trait Outcome {
    /// The type of a success.
    type Value;
    /// The type of an error.
    type Error;

    /// Returns the `Result` itself.
    ///
    /// # Errors
    ///
    /// The error that the call returned.
    fn as_result(&self) -> Result<&Self::Value, &Self::Error>;

    /// Makes a result from an error.
    fn from_error(error: Self::Error) -> Self;
}

impl<T, E> Outcome for Result<T, E> {
    type Value = T;
    type Error = E;

    #[inline]
    fn as_result(&self) -> Result<&T, &E> {
        self.as_ref()
    }

    #[inline]
    fn from_error(error: E) -> Self {
        Err(error)
    }
}
