//! Is a type a rejection?

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::CircuitOpen;

#[derive(Debug)]
pub struct Rejection<F: ?Sized>(NoRejection, PhantomData<F>);

#[derive(Debug)]
pub struct NoRejection;

/// Compiles only for a rejection.
pub const fn confirm_rejection<F: HoldsRejection + ?Sized>() {}

impl<F: ?Sized> Rejection<F> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(NoRejection, PhantomData)
    }
}

impl<F: HoldsRejection + ?Sized> Rejection<F> {
    #[must_use]
    pub const fn __breaker_held(&self) -> bool {
        true
    }
}

impl NoRejection {
    #[must_use]
    pub const fn __breaker_held(&self) -> bool {
        false
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is called like a rejection, but is none",
    label = "not `breaker_core::CircuitOpen`",
    note = "under a mark on the whole enum only a rejection is exempt: mark the answers one by one instead"
)]
pub trait HoldsRejection {}

impl HoldsRejection for CircuitOpen {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for &T {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Box<T> {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Rc<T> {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Arc<T> {}
impl<T: HoldsRejection> HoldsRejection for Option<T> {}

otherwise! {
    [F: ?Sized] Rejection<F> => NoRejection, 0;
}
