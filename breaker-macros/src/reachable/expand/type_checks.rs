//! Expansion of the checks of field types.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, WherePredicate, parse_quote};

use crate::reachable::foreign_paths;
use crate::reachable::foreign_types::ForeignType;
use crate::reachable::parse::question::Question;
use crate::reachable::validate::{JudgedVariant, Proof, ReasonForTypes};
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
    let has_reason = judged.reason_for_types != ReasonForTypes::Missing;
    let function = match &judged.proof {
        Proof::Answer if has_reason => Some("carry_with_reason"),
        Proof::Answer => Some("carry"),
        Proof::Unknown => (!has_reason).then_some("carry_unknown"),
        Proof::Rejection(field) => {
            let (start, end) = ends(field.ty);
            let ty = of_derive(field.ty);
            let arguments = quote_spanned!(end=> ());
            return vec![quote_spanned!(start=> __breaker_marks::confirm_rejection::<#ty> #arguments;)];
        }
        _ => return Vec::new(),
    };
    let types = types_to_check(judged);
    let check = |checked: &CheckedType<'_>| {
        let start = ends(checked.ty).0;
        let function = Ident::new(function?, start);
        let verdict = verdict(judged, checked, has_reason);
        Some(quote_spanned!(start=> __breaker_marks::#function(#verdict);))
    };
    let mut checks: Vec<_> = types.iter().filter_map(check).collect();
    if let ReasonForTypes::OnlyForTypes(because) = judged.reason_for_types {
        let (start, end) = ends(because);
        let all = types.iter().rev().fold(quote_spanned!(start=> ()), |rest, checked| {
            let verdict = verdict(judged, checked, false);
            quote_spanned!(start=> (#verdict, #rest))
        });
        let arguments = quote_spanned!(end=> (#all));
        checks.push(quote_spanned!(start=> __breaker_marks::needs_reason #arguments;));
    }
    checks
}

/// A type to check: that of a field, or that of an element where the type of the field is a tuple.
pub(super) struct CheckedType<'a> {
    pub(super) ty: &'a Type,
    is_called_status: bool,
}

/// Returns the types that need a check.
pub(super) fn types_to_check<'a>(judged: &'a JudgedVariant<'_>) -> Vec<CheckedType<'a>> {
    let types = judged.variant.fields.iter().flat_map(|field| {
        let is_called_status = field.is_called_status();
        elements(field.ty).into_iter().map(move |ty| CheckedType { ty, is_called_status })
    });
    types.filter(|checked| checked.is_called_status || !is_primitive(checked.ty)).collect()
}

/// The elements of a tuple. Each is checked by itself, because several of them may carry a type that is searched for.
fn elements(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Group(group) => elements(&group.elem),
        Type::Paren(paren) => elements(&paren.elem),
        Type::Tuple(tuple) => tuple.elems.iter().flat_map(elements).collect(),
        _ => vec![ty],
    }
}

/// Builds the question what a field of this type shows.
fn verdict(judged: &JudgedVariant<'_>, checked: &CheckedType<'_>, has_reason: bool) -> TokenStream {
    let (start, end) = ends(checked.ty);
    let ty = of_derive(checked.ty);
    let name = match foreign_paths::find(checked.ty) {
        Some(ForeignType::NeverReachable) => "CalledNever",
        Some(ForeignType::Mixed) => "CalledMixed",
        // The mark states which statuses the field holds, or that none of them is evidence.
        _ if !judged.statuses.is_empty() || judged.may_hold_status => "MayBeStatus",
        Some(ForeignType::Status) => "CalledStatus",
        None if checked.is_called_status => "FieldCalledStatus",
        None => "Unnamed",
    };
    let name = Ident::new(name, start);
    let question = if has_reason {
        quote_spanned!(start=> __breaker_marks::CarriedWithReason::<#ty, __breaker_marks::#name, _>::ask())
    } else {
        quote_spanned!(start=> __breaker_marks::Carried::<#ty, __breaker_marks::#name, _, _>::ask())
    };
    let question = if judged.by_mark_of_type || matches!(judged.proof, Proof::Unknown) {
        quote_spanned!(start=> __breaker_marks::OrRejection::<#ty, _>::or(#question))
    } else {
        question
    };
    let verdict = quote_spanned!(end=> .__breaker_verdict());
    quote!(#question #verdict)
}

/// Returns the parameters that must be `'static`. The bound `ProvesReachable` of a transparent field needs no other.
fn static_parameters(judged: &[JudgedVariant<'_>]) -> Vec<TokenStream> {
    let fields = judged.iter().flat_map(|judged| {
        let fields = judged.variant.fields.iter().filter(|field| field.question == Question::Static);
        fields.filter(
            |field| !matches!(judged.proof, Proof::Transparent(transparent) if std::ptr::eq(transparent, *field)),
        )
    });
    let mut parameters: Vec<&Ident> = Vec::new();
    for parameter in fields.flat_map(|field| &field.mentions.parameters) {
        if !parameters.contains(&parameter) {
            parameters.push(parameter);
        }
    }
    parameters.into_iter().map(of_derive).collect()
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
    bounds.extend(static_parameters(judged).iter().map(|parameter| parse_quote!(#parameter: 'static)));
    bounds
}
