//! An error behind a pointer proves what the error itself proves.

use std::sync::Arc;

use crate::{Evidence, ProvesReachable};

macro_rules! forward {
    ($($(#[$doc:meta])* [$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> ProvesReachable for $pointer {
            fn evidence(&self) -> Evidence {
                (**self).evidence()
            }

            fn passes_on_rejection(&self) -> bool {
                (**self).passes_on_rejection()
            }
        }
    )*};
}

forward! {
    [E: ProvesReachable + ?Sized] &E;
    [E: ProvesReachable] Box<E>;
    [E: ProvesReachable + ?Sized] Arc<E>;
}
