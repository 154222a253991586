//! Expansion of the checks of the names of field types, which the table of marks makes.

use proc_macro2::TokenStream;
use quote::quote;

use super::type_checks::types_to_check;
use crate::reachable::validate::{JudgedVariant, Proof, ReasonForTypes};
use crate::syntax::expansion_spans::of_derive;

/// Builds the checks of all marks that claim something about the remote system.
pub(crate) fn checks(judged: &[JudgedVariant<'_>], support: &TokenStream) -> TokenStream {
    let checks = judged.iter().filter_map(|judged| check(judged, support));
    quote!(#(#checks)*)
}

fn check(judged: &JudgedVariant<'_>, support: &TokenStream) -> Option<TokenStream> {
    let has_reason = judged.reason_for_types != ReasonForTypes::Missing;
    let types: Vec<_> = types_to_check(judged).iter().map(|checked| of_derive(checked.ty)).collect();
    if types.is_empty() {
        return None;
    }
    let variant = judged.variant.ident.to_string();
    let types = quote!(&[#(#support::FieldType::<#types>::ask().__breaker_name()),*]);
    match &judged.proof {
        Proof::Answer => {
            let states_status = !judged.statuses.is_empty();
            Some(quote!(#support::check_answer::<Self>(#variant, #has_reason, #states_status, #types);))
        }
        Proof::Unknown if !has_reason => Some(quote!(#support::check_unknown::<Self>(#variant, #types);)),
        _ => None,
    }
}
