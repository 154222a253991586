//! What does a status prove?

use std::num::NonZeroU16;

use crate::Evidence;
use crate::status::{Class, NO_STATUS, class, doubt_because, evidence_of, never_because};

/// What the status in a `#[reachable(status)]` field proves.
pub fn by_status<S: RunTimeStatus + ?Sized>(status: &S) -> Evidence {
    evidence_of(status.code())
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an HTTP status",
    label = "marked `#[reachable(status)]`",
    note = "such a field is a `u16`, a `NonZero<u16>`, an `http::StatusCode` (feature `http` of `breaker-core`), or an `Option` of one"
)]
pub trait RunTimeStatus {
    fn code(&self) -> Option<u16>;
}

impl RunTimeStatus for u16 {
    fn code(&self) -> Option<u16> {
        Some(*self)
    }
}

impl RunTimeStatus for NonZeroU16 {
    fn code(&self) -> Option<u16> {
        Some(self.get())
    }
}

impl<S: RunTimeStatus> RunTimeStatus for Option<S> {
    fn code(&self) -> Option<u16> {
        self.as_ref().and_then(S::code)
    }
}

impl<S: RunTimeStatus + ?Sized> RunTimeStatus for &S {
    fn code(&self) -> Option<u16> {
        (**self).code()
    }
}

/// A constant that is given as a status. Its method says what it must be, for the compiler repeats the name of a method
/// that it does not find.
#[derive(Clone, Copy, Debug)]
pub struct StatusGivenAs<S>(pub S);

impl StatusGivenAs<u16> {
    #[must_use]
    pub const fn must_be_u16_or_http_status_code(self) -> u16 {
        self.0
    }
}

/// What is known about the reason when the compiler gets to see the status.
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    /// There is none.
    Missing,
    /// There is one, and something else than the status needs it.
    Needed,
    /// There is one, and the status alone has to need it.
    ForStatus,
}

/// A constant status; stops the build where it may not carry the mark.
#[must_use]
pub const fn checked(status: u16, reason: Reason) -> u16 {
    match (class(status), reason) {
        (None, _) => panic!("{}", NO_STATUS),
        (Some(Class::Never), _) => panic!("{}", never_because(status)),
        (Some(Class::OnlyWithReason), Reason::Missing) => panic!("{}", doubt_because(status)),
        (Some(Class::Freely), Reason::ForStatus) => {
            panic!("this status may be marked without a reason: remove `because`")
        }
        (Some(_), _) => status,
    }
}
