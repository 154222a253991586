//! The check whether a type is a rejection.

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::CircuitOpen;

/// The question whether `F` is a rejection.
#[derive(Debug)]
pub struct RejectionType<F: ?Sized>(OtherType, PhantomData<F>);

/// The answer for every other type.
#[derive(Debug)]
pub struct OtherType;

/// Compiles only for a rejection.
pub const fn confirm_rejection<F: HoldsRejection + ?Sized>() {}

impl<F: ?Sized> RejectionType<F> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(OtherType, PhantomData)
    }
}

impl<F: HoldsRejection + ?Sized> RejectionType<F> {
    #[must_use]
    pub const fn __breaker_held(&self) -> bool {
        true
    }
}

impl OtherType {
    #[must_use]
    pub const fn __breaker_held(&self) -> bool {
        false
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` has the name of a rejection, but is not `breaker_core::CircuitOpen`",
    label = "not `breaker_core::CircuitOpen`",
    note = "under a mark on the whole enum, only a rejection is exempt: mark each answer instead of the enum"
)]
pub trait HoldsRejection {}

impl HoldsRejection for CircuitOpen {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for &T {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Box<T> {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Rc<T> {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Arc<T> {}
impl<T: HoldsRejection> HoldsRejection for Option<T> {}

otherwise! {
    [F: ?Sized] RejectionType<F> => OtherType, 0;
}
