//! Statuses in marks: constants and fields.

use std::num::{NonZero, NonZeroU16};
use std::rc::Rc;
use std::sync::Arc;

use crate::evidence::Evidence;
use crate::evidence::status::{Class, NO_STATUS, class, evidence_of, never_because, reason_needed_because};

/// Returns the evidence of the status in a `#[reachable(status)]` field.
pub fn by_status<S: RunTimeStatus + ?Sized>(status: &S) -> Evidence {
    evidence_of(status.code())
}

/// The type of a `#[reachable(status)]` field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an HTTP status",
    label = "marked `#[reachable(status)]`",
    note = "use a `u16`, a `NonZero<u16>`, an `http::StatusCode` (feature `http` of `breaker-core`), or an `Option` of one"
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

/// A type that is an HTTP status whatever its field is called, also behind a pointer or in an `Option`.
pub trait HttpStatus {}

/// A type that holds the number of a status in a field called `status`.
pub trait IntegerStatus {}

macro_rules! holders {
    ($($status:ident)*) => {$(
        impl<S: $status> $status for Option<S> {}
        impl<S: $status + ?Sized> $status for &S {}
        impl<S: $status + ?Sized> $status for Box<S> {}
        impl<S: $status + ?Sized> $status for Rc<S> {}
        impl<S: $status + ?Sized> $status for Arc<S> {}
    )*};
}

holders!(HttpStatus IntegerStatus);

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl IntegerStatus for $integer {}
        impl IntegerStatus for NonZero<$integer> {}
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// A constant that is written as a status. The name of its method says which type it must have, because the compiler shows
/// the name of a method that does not exist.
#[derive(Clone, Copy, Debug)]
pub struct StatusGivenAs<S>(pub S);

impl StatusGivenAs<u16> {
    #[must_use]
    pub const fn must_be_u16_or_http_status_code(self) -> u16 {
        self.0
    }
}

/// Checks a constant status under a mark. Stops the build where the status cannot carry one.
#[must_use]
pub const fn checked(status: u16, has_reason: bool) -> u16 {
    match class(status) {
        None => panic!("{}", NO_STATUS),
        Some(Class::Never) => panic!("{}", never_because(status)),
        Some(Class::OnlyWithReason) if !has_reason => panic!("{}", reason_needed_because(status)),
        Some(_) => status,
    }
}

/// Stops the build where the status at `at` occurs earlier in the list.
pub const fn listed_once(statuses: &[u16], at: usize) {
    let mut before = 0;
    while before < at {
        assert!(statuses[before] != statuses[at], "this status is already in the list");
        before += 1;
    }
}

/// Stops the build where a reason is given and no status needs one.
pub const fn reason_is_needed(statuses: &[u16]) {
    let mut at = 0;
    while at < statuses.len() {
        if matches!(class(statuses[at]), Some(Class::OnlyWithReason)) {
            return;
        }
        at += 1;
    }
    panic!("this mark needs no reason: remove `because`")
}
