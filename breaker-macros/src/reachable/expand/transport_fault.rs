//! Expansion of `transport_fault`: the fault of the field that decides, or that a failure holds.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::evidence::{arm, arm_of_all, local, question as question_of};
use crate::reachable::parse::{Field, Input};
use crate::reachable::validate::{JudgedVariant, Proof};
use crate::syntax::types::is_primitive;

/// `None` where no variant has such a field. The sources and the words of the error decide then.
pub(crate) fn fault(input: &Input<'_>, judged: &[JudgedVariant<'_>], support: &TokenStream) -> Option<TokenStream> {
    // Each question has an answer for every type, so that only `evidence` reports a wrong type.
    let question = |judged: &JudgedVariant<'_>, field: &Field<'_>, local: &Ident| {
        let question = match &judged.proof {
            Proof::ByStatus(_) => quote!(StatusField),
            _ => question_of(field),
        };
        quote!(#support::#question::ask(#local).__breaker_fault())
    };
    let (asked, silent): (Vec<_>, Vec<_>) =
        judged.iter().map(|judged| (judged, field_with_fault(judged))).partition(|(_, field)| field.is_some());
    if asked.is_empty() {
        return None;
    }
    let asked = asked.into_iter().filter_map(|(judged, field)| {
        let (field, local) = (field?, local(0));
        let question = question(judged, field, &local);
        Some(arm(input, judged.variant, &[(field, local)], &question))
    });
    let silent = silent.into_iter().map(|(judged, _)| judged.variant);
    let silent = arm_of_all(input, silent, &quote!(#support::FieldFault::None));
    Some(quote!(match self { #(#asked)* #silent }))
}

/// Returns the field whose own fault is the fault of the variant.
fn field_with_fault<'a>(judged: &'a JudgedVariant<'_>) -> Option<&'a Field<'a>> {
    match &judged.proof {
        Proof::ByStatus(field) | Proof::Transparent(field) => Some(field),
        Proof::Failure => match &judged.variant.fields[..] {
            [only] if !is_primitive(only.ty) => Some(only),
            _ => None,
        },
        Proof::Answer | Proof::Unknown | Proof::Rejection(_) => None,
    }
}
