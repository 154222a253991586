//! What does a status prove?

use std::num::NonZeroU16;

use crate::evidence::Evidence;
use crate::evidence::status::{Class, NO_STATUS, class, doubt_because, evidence_of, never_because};

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

/// A constant status under a mark; stops the build where it may not carry one.
#[must_use]
pub const fn checked(status: u16, has_reason: bool) -> u16 {
    match class(status) {
        None => panic!("{}", NO_STATUS),
        Some(Class::Never) => panic!("{}", never_because(status)),
        Some(Class::OnlyWithReason) if !has_reason => panic!("{}", doubt_because(status)),
        Some(_) => status,
    }
}

/// Stops the build where the status at `at` stands in the list before.
pub const fn listed_once(statuses: &[u16], at: usize) {
    let mut before = 0;
    while before < at {
        assert!(statuses[before] != statuses[at], "this status is in the list already");
        before += 1;
    }
}

/// Stops the build where there is a reason that only one of the statuses could need, and none does.
pub const fn reason_is_needed(statuses: &[u16]) {
    let mut at = 0;
    while at < statuses.len() {
        if matches!(class(statuses[at]), Some(Class::OnlyWithReason)) {
            return;
        }
        at += 1;
    }
    panic!("this may be marked without a reason: remove `because`, so that reasons stand only where one is needed")
}
