//! `ProvesReachable` for pointers to errors.

use std::sync::Arc;

use super::{Evidence, Fault, ProvesReachable};

macro_rules! forward {
    ($($(#[$doc:meta])* [$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> ProvesReachable for $pointer {
            fn evidence(&self) -> Evidence {
                (**self).evidence()
            }

            fn passes_on_rejection(&self) -> bool {
                (**self).passes_on_rejection()
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
