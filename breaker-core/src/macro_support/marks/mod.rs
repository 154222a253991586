//! Questions about the type of a field, for the expansion of `#[derive(ProvesReachable)]`.
//!
//! A macro sees only the spelling of a type. These questions are method calls, so the compiler answers them for the type
//! behind any alias or re-export. Method resolution takes the first inherent method whose bounds hold, and tries the target
//! of `Deref` after the type itself. So each question is a struct that dereferences to the next possible answer, down to one
//! that always applies. This works for concrete types and, as far as their bounds allow, for generic ones. It needs no trait
//! in scope.

#![expect(clippy::unused_self, reason = "the compiler chooses the method by its receiver")]

/// Declares the `Deref` target of a question: the question that is tried next.
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
mod foreign_types;
mod generic_field;
mod passes_rejection;
mod rejection_type;
mod status;
mod table;
mod transport_fault;

pub use carried_types::{
    CalledMixed, CalledNever, CalledStatus, Carried, CarriedWithReason, CarryCheck, FieldCalledStatus, MayBeStatus,
    OrRejection, ProvesNothing, Unnamed, carry, carry_unknown, carry_with_reason, needs_reason,
};
pub use foreign_types::{FieldType, check_answer, check_unknown};
pub use generic_field::StaticField;
pub use passes_rejection::{Field, Judged, OpenField, chain_rejection, passes_on, source_rejection};
pub use rejection_type::{RejectionType, confirm_rejection};
pub use status::{HttpStatus, RunTimeStatus, StatusGivenAs, by_status, checked, listed_once, reason_is_needed};
pub use table::{ANSWERED, BY_VALUE, FAILED, Row, Rows, UNKNOWN, answered, failed, rows};
pub use transport_fault::{FieldFault, StatusField};

pub use crate::evidence::error_chain::FoundRejection;
pub use crate::evidence::{Marked, MarkedPayload};
