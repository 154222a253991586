//! Expansion of the checks of field types.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{WherePredicate, parse_quote};

use crate::reachable::parse::Field;
use crate::reachable::validate::{JudgedVariant, Proof};
use crate::syntax::expansion_spans::{ends, of_derive};
use crate::syntax::types::is_primitive;

/// Builds the checks of the types under a mark, each with the span of its type.
pub(crate) fn carried(judged: &[JudgedVariant<'_>], support: &TokenStream) -> TokenStream {
    let checks: Vec<_> = judged.iter().flat_map(checks).collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    // A short name, so that the path has a single span.
    quote! {
        use #support as __breaker_marks;
        #(#checks)*
    }
}

fn checks(judged: &JudgedVariant<'_>) -> Vec<TokenStream> {
    let fields = match &judged.proof {
        Proof::Answer => judged.variant.fields.iter().filter(|field| !is_primitive(field.ty)),
        Proof::Rejection(field) => {
            let (start, end) = ends(field.ty);
            let ty = of_derive(field.ty);
            let arguments = quote_spanned!(end=> ());
            return vec![quote_spanned!(start=> __breaker_marks::confirm_rejection::<#ty> #arguments;)];
        }
        _ => return Vec::new(),
    };
    let carried = if judged.by_mark_of_type { "CarriedInAll" } else { "Carried" };
    let check = |field: &Field<'_>| {
        let (start, end) = ends(field.ty);
        let ty = of_derive(field.ty);
        let carried = Ident::new(carried, start);
        let question = quote_spanned!(start=> __breaker_marks::#carried::<#ty, _>::ask());
        let verdict = quote_spanned!(end=> .__breaker_verdict());
        quote_spanned!(start=> __breaker_marks::carry(#question #verdict);)
    };
    fields.map(check).collect()
}

/// Builds the bounds on generic parameters that the marks need.
pub(crate) fn bounds(judged: &[JudgedVariant<'_>], krate: &TokenStream, support: &TokenStream) -> Vec<WherePredicate> {
    let mut bounds: Vec<WherePredicate> = Vec::new();
    for judged in judged {
        match &judged.proof {
            Proof::Answer => {
                for field in judged.variant.fields.iter().filter(|field| field.mentions.type_parameter) {
                    let parameters = field.mentions.parameters.iter().map(of_derive);
                    let payloads: Vec<_> =
                        if field.mentions.itself { parameters.collect() } else { vec![of_derive(field.ty)] };
                    bounds.extend(payloads.iter().map(|payload| parse_quote!(#payload: #support::MarkedPayload)));
                }
            }
            Proof::Transparent(field) if field.mentions.type_parameter && !field.mentions.itself => {
                let ty = of_derive(field.ty);
                bounds.push(parse_quote!(#ty: #krate::ProvesReachable));
            }
            Proof::ByStatus(field) if field.mentions.type_parameter => {
                let ty = of_derive(field.ty);
                bounds.push(parse_quote!(#ty: #support::RunTimeStatus));
            }
            _ => {}
        }
    }
    bounds
}
