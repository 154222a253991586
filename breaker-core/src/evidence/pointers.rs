//! `ProvesReachable` for pointers to errors.

use std::sync::Arc;

use super::{Evidence, Fault, ProvesReachable};
use crate::rejection::CircuitOpen;

macro_rules! forward {
    ($($(#[$doc:meta])* [$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> ProvesReachable for $pointer {
            fn evidence(&self) -> Evidence {
                (**self).evidence()
            }

            fn rejection(&self) -> Option<&CircuitOpen> {
                (**self).rejection()
            }

            fn evidence_regards_rejection(&self) -> bool {
                (**self).evidence_regards_rejection()
            }

            fn transport_fault(&self) -> Option<Fault> {
                (**self).transport_fault()
            }
        }
    )*};
}

forward! {
    [E: ProvesReachable + ?Sized] &E;
    [E: ProvesReachable] Box<E>;
    [E: ProvesReachable + ?Sized] Arc<E>;
}
