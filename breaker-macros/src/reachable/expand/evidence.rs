//! Expansion of `evidence` and `rejection`, each a single match.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Index, Type};

use crate::reachable::parse::question::Question;
use crate::reachable::parse::{Field, Input, Variant};
use crate::reachable::validate::{JudgedVariant, Proof};
use crate::syntax::expansion_spans::{ends, of_derive};
use crate::syntax::types::is_primitive;

pub(crate) fn evidence(
    input: &Input<'_>,
    judged: &[JudgedVariant<'_>],
    krate: &TokenStream,
    support: &TokenStream,
) -> TokenStream {
    if judged.is_empty() {
        // A union has no variants but has values.
        return if input.is_enum { quote!(match *self {}) } else { quote!(#krate::Evidence::Failed) };
    }
    let fixed = |is: fn(&Proof<'_>) -> bool, evidence: TokenStream| {
        let variants = judged.iter().filter(|judged| is(&judged.proof)).map(|judged| judged.variant);
        arm_of_all(input, variants, &quote!(#krate::Evidence::#evidence))
    };
    let answered = fixed(|proof| matches!(proof, Proof::Answer), quote!(Answered));
    let failed = fixed(|proof| matches!(proof, Proof::Failure), quote!(Failed));
    let unknown = fixed(|proof| matches!(proof, Proof::Unknown | Proof::Rejection(_)), quote!(Unknown));
    let by_value = judged.iter().filter_map(|judged| {
        let (function, field) = match &judged.proof {
            Proof::ByStatus(field) => (quote!(#support::by_status), field),
            Proof::Transparent(field) => (quote!(#krate::ProvesReachable::evidence), field),
            _ => return None,
        };
        let local = local(0);
        let call = call_at_type(&function, &local, field);
        Some(arm(input, judged.variant, &[(field, local)], &call))
    });
    quote! {
        if #support::passes_on(self) {
            return #krate::Evidence::Unknown;
        }
        match self { #answered #failed #unknown #(#by_value)* }
    }
}

pub(crate) fn rejection(input: &Input<'_>, support: &TokenStream) -> TokenStream {
    if input.variants.is_empty() {
        return if input.is_enum { quote!(match *self {}) } else { quote!(#support::FoundRejection::None) };
    }
    let (asked, silent): (Vec<_>, Vec<_>) =
        input.variants.iter().partition(|variant| variant.fields.iter().any(|field| !is_primitive(field.ty)));
    let asked = asked.into_iter().map(|variant| {
        let fields = variant.fields.iter().filter(|field| !is_primitive(field.ty));
        let fields: Vec<(&Field<'_>, Ident)> = fields.enumerate().map(|(at, field)| (field, local(at))).collect();
        let questions = fields.iter().flat_map(|(field, local)| {
            let question = question(field);
            let places = places(field.ty, local.to_token_stream(), quote!(#local));
            places.into_iter().map(move |place| quote!(#support::#question::ask(#place).__breaker_rejection()))
        });
        let value = questions
            .reduce(|first, next| quote!(#first.or_else(|| #next)))
            .unwrap_or_else(|| quote!(#support::FoundRejection::None));
        arm(input, variant, &fields, &value)
    });
    let silent = arm_of_all(input, silent, &quote!(#support::FoundRejection::None));
    // A field of generic type cannot always be asked by its type.
    let by_source =
        if input.generics.type_params().next().is_some() { quote!(chain_rejection) } else { quote!(source_rejection) };
    quote! {
        #support::#by_source(self).or_else(|| match self { #(#asked)* #silent })
    }
}

/// The name of the question that a field is asked.
pub(crate) fn question(field: &Field<'_>) -> TokenStream {
    match field.question {
        Question::Concrete => quote!(Field),
        Question::Static => quote!(StaticField),
        Question::Open => quote!(OpenField),
    }
}

/// The expressions for the values of a field. A tuple is asked element by element, because no trait can select among
/// its elements.
fn places(ty: &Type, place: TokenStream, reference: TokenStream) -> Vec<TokenStream> {
    match ty {
        Type::Group(group) => places(&group.elem, place, reference),
        Type::Paren(paren) => places(&paren.elem, place, reference),
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let elements = tuple.elems.iter().enumerate().filter(|(_, element)| !is_primitive(element));
            let elements = elements.flat_map(|(at, element)| {
                let at = Index::from(at);
                let place = quote!(#place.#at);
                let reference = quote!(&#place);
                places(element, place, reference)
            });
            elements.collect()
        }
        _ => vec![reference],
    }
}

/// `Self::Variant { 0: local, .. } => value,`
pub(crate) fn arm(
    input: &Input<'_>,
    variant: &Variant<'_>,
    bound: &[(&Field<'_>, Ident)],
    value: &TokenStream,
) -> TokenStream {
    let pattern = pattern(input, variant, bound);
    quote!(#pattern => #value,)
}

/// `Self::One { .. } | Self::Other { .. } => value,`, or nothing where there are no variants.
pub(crate) fn arm_of_all<'a>(
    input: &Input<'_>,
    variants: impl IntoIterator<Item = &'a Variant<'a>>,
    value: &TokenStream,
) -> Option<TokenStream> {
    let patterns: Vec<_> = variants.into_iter().map(|variant| pattern(input, variant, &[])).collect();
    (!patterns.is_empty()).then(|| quote!(#(#patterns)|* => #value,))
}

fn pattern(input: &Input<'_>, variant: &Variant<'_>, bound: &[(&Field<'_>, Ident)]) -> TokenStream {
    let path = if input.is_enum {
        let name = of_derive(variant.ident);
        quote!(Self::#name)
    } else {
        quote!(Self)
    };
    let bindings = bound.iter().map(|(field, local)| {
        let member = &field.member;
        quote!(#member: #local)
    });
    let rest = (bound.len() < variant.fields.len()).then(|| quote!(..));
    quote!(#path { #(#bindings,)* #rest })
}

/// A local name that is unlikely to be the name of a user's constant.
pub(crate) fn local(at: usize) -> Ident {
    format_ident!("__breaker_field_{at}", span = Span::mixed_site())
}

/// Builds `function(local)` with the span of the field's type, so that a wrong type is reported there.
fn call_at_type(function: &TokenStream, local: &Ident, field: &Field<'_>) -> TokenStream {
    let (start, end) = ends(field.ty);
    let mut local = local.clone();
    local.set_span(end.resolved_at(local.span()));
    let function = quote_spanned!(start=> #function);
    let arguments = quote_spanned!(end=> (#local));
    quote!(#function #arguments)
}
