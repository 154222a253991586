//! What the expansion of `#[derive(ProvesReachable)]` leans on: questions about the type of a field, put to the type
//! system, so that aliases and re-exports are seen through.
//!
//! Each question is a method call, and method resolution is what answers it: it takes the first inherent method whose
//! bounds hold, and what a type dereferences to comes after the type. That works for concrete types and for generic ones
//! alike, as far as their bounds tell, and needs no trait in scope.

#![expect(clippy::unused_self, reason = "the receiver is what the compiler chooses the method by")]

/// Declares what a question dereferences to, and so which method answers where the question's own does not apply.
macro_rules! otherwise {
    ($([$($generics:tt)*] $question:ty => $next:ty, $at:tt;)*) => {$(
        impl<$($generics)*> std::ops::Deref for $question {
            type Target = $next;

            fn deref(&self) -> &$next {
                &self.$at
            }
        }
    )*};
}

mod carried_types;
mod passes_rejection;
mod rejection_type;
mod status;
mod table;
mod transport_fault;

pub use carried_types::{Carried, CarriedInAll, ProvesNothing, Verdict, carry};
pub use passes_rejection::{Field, Judged, OpenField, passes_on, source_passes_on};
pub use rejection_type::{Rejection, confirm_rejection};
pub use status::{RunTimeStatus, StatusGivenAs, by_status, checked, listed_once, reason_is_needed};
pub use table::{ANSWERED, BY_VALUE, FAILED, Row, Rows, UNKNOWN, answered, failed, rows};
pub use transport_fault::{StatusField, Told};

pub use crate::evidence::{Marked, MarkedPayload};
