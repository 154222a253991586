//! `http::StatusCode` in marks, and the judge of values that carry an HTTP status.

use http::StatusCode;

use super::Returned;
use super::marks::{HttpStatus, RunTimeStatus, StatusGivenAs};
use crate::evidence::CarriesStatus;
use crate::judge::{ByStatus, Outcome};

/// For `#[reachable(status)]`.
impl RunTimeStatus for StatusCode {
    fn code(&self) -> Option<u16> {
        Some(self.as_u16())
    }
}

/// A mark on an error with this field would be a mark on any status.
impl HttpStatus for StatusCode {}

/// For `#[reachable(status = StatusCode::NOT_FOUND)]`.
impl StatusGivenAs<StatusCode> {
    /// The number.
    #[must_use]
    pub const fn must_be_u16_or_http_status_code(self) -> u16 {
        self.0.as_u16()
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
