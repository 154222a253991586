//! What the types of the fields have to be for the marks to be true.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{WherePredicate, parse_quote};

use super::places::ends;
use crate::reachable::parse::{Field, Input};
use crate::reachable::types::{is_primitive, is_proving};
use crate::reachable::validate::{Judged, Proof};

/// The checks of the types under a mark, each placed at the type.
pub(super) fn carried(judged: &[Judged<'_>], support: &TokenStream) -> TokenStream {
    let marked = judged.iter().filter(|judged| matches!(judged.proof, Proof::Answer));
    let fields = marked.flat_map(|judged| &judged.variant.fields);
    let fields: Vec<&Field<'_>> = fields.filter(|field| !is_primitive(field.ty)).collect();
    if fields.is_empty() {
        return TokenStream::new();
    }
    let checks = fields.iter().map(|field| {
        let ty = field.ty;
        let (start, end) = ends(ty);
        let question = quote_spanned!(start=> __breaker_marks::Carried::<#ty, _>::ask());
        let verdict = quote_spanned!(end=> .__breaker_verdict());
        quote_spanned!(start=> __breaker_marks::carry(#question #verdict);)
    });
    // A short name, whose path has but one place.
    quote! {
        use #support as __breaker_marks;
        #(#checks)*
    }
}

/// What the generic parameters have to be for the marks to be true.
pub(super) fn bounds(
    input: &Input<'_>,
    judged: &[Judged<'_>],
    krate: &TokenStream,
    support: &TokenStream,
) -> Vec<WherePredicate> {
    let mut bounds: Vec<WherePredicate> = Vec::new();
    for judged in judged {
        match &judged.proof {
            Proof::Answer => {
                for field in judged.variant.fields.iter().filter(|field| field.mentions.type_parameter) {
                    let ty = field.ty;
                    bounds.push(parse_quote!(#ty: #support::MarkedPayload));
                }
            }
            Proof::Transparent(field) if field.mentions.any_type_parameter => {
                let ty = field.ty;
                bounds.push(parse_quote!(#ty: #krate::ProvesReachable));
            }
            Proof::ByStatus(field) if field.mentions.any_type_parameter => {
                let ty = field.ty;
                bounds.push(parse_quote!(#ty: #support::RunTimeStatus));
            }
            _ => {}
        }
    }
    for parameter in input.generics.type_params().filter(|parameter| is_proving(&parameter.ident, input.generics)) {
        let ident = &parameter.ident;
        bounds.push(parse_quote!(#ident: #krate::ProvesReachable));
    }
    bounds
}
