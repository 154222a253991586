//! Questions about the signature of a guarded function.

pub(crate) mod borrow;
pub(crate) mod captures;
pub(crate) mod opaque_value;
pub(crate) mod return_shape;
pub(crate) mod self_hygiene;
