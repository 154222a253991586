//! The implementations that the derive writes.
//!
//! ```text
//! Input:
//!     enum ContactError { #[reachable(status = 404)] NotFound(u64), Http(HttpError) }
//!
//! Output:
//!     impl ProvesReachable for ContactError {
//!         fn evidence(&self) -> Evidence {
//!             if self.passes_on_rejection() { return Evidence::Unknown; }
//!             match self { Self::NotFound { .. } => Evidence::Answered, Self::Http { .. } => Evidence::Failed }
//!         }
//!         fn passes_on_rejection(&self) -> bool {
//!             source_passes_on(self) || match self { Self::NotFound { 0: a } => /* ask `a` */, .. }
//!         }
//!     }
//!     impl Marked for ContactError { /* the table, and the checks of the types under a mark */ }
//!     impl MarkedPayload for ContactError {}
//! ```
//!
//! Every path is absolute and every question about a type is an inherent method, so that nothing that the user has in
//! scope, or has not, changes the meaning.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{WherePredicate, parse_quote};

use super::attribute::Status;
use super::parse::{Field, Input, Variant};
use super::types::{is_primitive, is_proving};
use super::validate::{Excuse, Judged, Proof};

/// The implementations of a type whose marks are sound, as far as the macro can tell.
pub(super) fn expand(input: &Input<'_>, judged: &[Judged<'_>]) -> TokenStream {
    let krate = input.krate();
    let support = quote!(#krate::__private::marks);
    let evidence = evidence(input, judged, &krate, &support);
    let passes_on = passes_on(input, &support);
    let rows = judged.iter().map(|judged| row(judged, &support));
    let carried = carried(judged, &support);
    let extra = bounds(input, judged, &krate, &support);
    implementations(input, &krate, &Bodies { evidence, passes_on, rows: quote!(#(#rows),*), carried }, extra)
}

/// The implementations of a type with a mistake in its marks: nothing is an answer, and nothing is checked.
pub(super) fn expand_unjudged(input: &Input<'_>) -> TokenStream {
    let krate = input.krate();
    let bodies = Bodies {
        evidence: quote!(#krate::Evidence::Failed),
        passes_on: quote!(false),
        rows: quote!(),
        carried: quote!(),
    };
    implementations(input, &krate, &bodies, Vec::new())
}

struct Bodies {
    evidence: TokenStream,
    passes_on: TokenStream,
    rows: TokenStream,
    carried: TokenStream,
}

fn implementations(input: &Input<'_>, krate: &TokenStream, bodies: &Bodies, extra: Vec<WherePredicate>) -> TokenStream {
    let support = quote!(#krate::__private::marks);
    let ident = input.ident;
    let mut generics = input.generics.clone();
    let is_generic = generics.type_params().next().is_some();
    if !extra.is_empty() || is_generic {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.extend(extra);
        if is_generic {
            // The supertrait: whatever bounds the implementation of `Error` has are taken over.
            predicates.push(parse_quote!(Self: ::core::error::Error));
        }
    }
    let (for_impl, for_type, clause) = generics.split_for_impl();
    let Bodies { evidence, passes_on, rows, carried } = bodies;
    quote! {
        #[automatically_derived]
        impl #for_impl #krate::ProvesReachable for #ident #for_type #clause {
            fn evidence(&self) -> #krate::Evidence {
                #evidence
            }

            fn passes_on_rejection(&self) -> bool {
                #passes_on
            }
        }

        #[automatically_derived]
        impl #for_impl #support::Marked for #ident #for_type #clause {
            fn marks() -> #support::Rows {
                #support::rows([#rows])
            }

            fn carried() {
                #carried
            }
        }

        #[automatically_derived]
        impl #for_impl #support::MarkedPayload for #ident #for_type #clause {}
    }
}

fn evidence(input: &Input<'_>, judged: &[Judged<'_>], krate: &TokenStream, support: &TokenStream) -> TokenStream {
    if judged.is_empty() {
        return quote!(match *self {});
    }
    let fixed = |is: fn(&Proof<'_>) -> bool, evidence: TokenStream| {
        let variants = judged.iter().filter(|judged| is(&judged.proof)).map(|judged| judged.variant);
        arm_of_all(input, variants, &quote!(#krate::Evidence::#evidence))
    };
    let answered = fixed(|proof| matches!(proof, Proof::Answer), quote!(Answered));
    let failed = fixed(|proof| matches!(proof, Proof::Failure), quote!(Failed));
    let unknown = fixed(|proof| matches!(proof, Proof::Unknown), quote!(Unknown));
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

fn passes_on(input: &Input<'_>, support: &TokenStream) -> TokenStream {
    if input.variants.is_empty() {
        return quote!(match *self {});
    }
    let (asked, silent): (Vec<_>, Vec<_>) =
        input.variants.iter().partition(|variant| variant.fields.iter().any(|field| !is_primitive(field.ty)));
    let asked = asked.into_iter().map(|variant| {
        let fields = variant.fields.iter().filter(|field| !is_primitive(field.ty));
        let fields: Vec<(&Field<'_>, Ident)> = fields.enumerate().map(|(at, field)| (field, local(at))).collect();
        let questions = fields.iter().map(|(field, local)| {
            let question = if field.mentions.lifetime || field.mentions.any_type_parameter {
                quote!(OpenField)
            } else {
                quote!(Field)
            };
            quote!(#support::#question::ask(#local).__breaker_passes_on())
        });
        arm(input, variant, &fields, &quote!(#(#questions)||*))
    });
    let silent = arm_of_all(input, silent, &quote!(false));
    quote! {
        #support::source_passes_on(self) || match self { #(#asked)* #silent }
    }
}

/// `Self::Variant { 0: local, .. } => value,`
fn arm(input: &Input<'_>, variant: &Variant<'_>, bound: &[(&Field<'_>, Ident)], value: &TokenStream) -> TokenStream {
    let pattern = pattern(input, variant, bound);
    quote!(#pattern => #value,)
}

/// `Self::One { .. } | Self::Other { .. } => value,`, or nothing where there are no variants.
fn arm_of_all<'a>(
    input: &Input<'_>,
    variants: impl IntoIterator<Item = &'a Variant<'a>>,
    value: &TokenStream,
) -> Option<TokenStream> {
    let patterns: Vec<_> = variants.into_iter().map(|variant| pattern(input, variant, &[])).collect();
    (!patterns.is_empty()).then(|| quote!(#(#patterns)|* => #value,))
}

fn pattern(input: &Input<'_>, variant: &Variant<'_>, bound: &[(&Field<'_>, Ident)]) -> TokenStream {
    let path = if input.is_enum {
        // Located at the derive, where a deprecated variant is nobody's news.
        let mut name = variant.ident.clone();
        name.set_span(Span::mixed_site().located_at(variant.ident.span()));
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

/// A local that no constant of the user's is likely to be called.
fn local(at: usize) -> Ident {
    format_ident!("__breaker_field_{at}", span = Span::mixed_site())
}

/// `function(local)`, with the type of the field as its place, so that a wrong type is reported there.
fn call_at_type(function: &TokenStream, local: &Ident, field: &Field<'_>) -> TokenStream {
    let (start, end) = ends(field.ty);
    let mut local = local.clone();
    local.set_span(end.resolved_at(local.span()));
    let function = quote_spanned!(start=> #function);
    let arguments = quote_spanned!(end=> (#local));
    quote!(#function #arguments)
}

/// One row of the table of marks. A tuple of literals costs the compiler least.
fn row(judged: &Judged<'_>, support: &TokenStream) -> TokenStream {
    let name = judged.variant.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let evidence = match &judged.proof {
        Proof::Answer => quote!(#support::ANSWERED),
        Proof::Unknown => quote!(#support::UNKNOWN),
        Proof::ByStatus(_) | Proof::Transparent(_) => quote!(#support::BY_VALUE),
        Proof::Failure => {
            let types: Vec<_> =
                judged.variant.fields.iter().map(|field| field.ty).filter(|ty| !is_primitive(ty)).collect();
            if types.is_empty() {
                quote!(#support::FAILED)
            } else {
                quote!(#support::failed(#(#support::Rejection::<#types>::ask().__breaker_held())||*))
            }
        }
    };
    let reason = judged.because.map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let statuses = statuses(judged, support);
    quote!((#name, #evidence, #statuses, #reason))
}

/// The statuses of a mark; constants among them are checked as the constant is evaluated, which is always.
fn statuses(judged: &Judged<'_>, support: &TokenStream) -> TokenStream {
    let codes = judged.statuses.iter().map(|status| match status {
        Status::Literal(code, _) => code.to_token_stream(),
        Status::Constant(expr) => {
            let excuse = match judged.excuse {
                Excuse::Missing => quote!(Missing),
                Excuse::Needed => quote!(Needed),
                Excuse::ForStatus => quote!(ForStatus),
            };
            let (start, end) = ends(expr);
            let check = quote_spanned!(start=> __breaker_marks::checked);
            let arguments = quote_spanned! {end=>
                (
                    __breaker_marks::StatusGivenAs(#expr).must_be_u16_or_http_status_code(),
                    __breaker_marks::Reason::#excuse,
                )
            };
            quote!(#check #arguments)
        }
    });
    if judged.statuses.is_empty() {
        return quote!(&[]);
    }
    let support = judged
        .statuses
        .iter()
        .any(|status| matches!(status, Status::Constant(_)))
        .then(|| quote!(use #support as __breaker_marks;));
    quote!({
        #support
        const __BREAKER_STATUSES: &[u16] = &[#(#codes),*];
        __BREAKER_STATUSES
    })
}

/// The checks of the types under a mark, each placed at the type.
fn carried(judged: &[Judged<'_>], support: &TokenStream) -> TokenStream {
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
fn bounds(input: &Input<'_>, judged: &[Judged<'_>], krate: &TokenStream, support: &TokenStream) -> Vec<WherePredicate> {
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

/// The first and the last place of some tokens, resolved as the macro's own.
fn ends(tokens: &(impl ToTokens + Spanned)) -> (Span, Span) {
    let own = Span::mixed_site();
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let start = spans.next().unwrap_or_else(|| tokens.span());
    let end = spans.last().unwrap_or(start);
    (own.located_at(start), own.located_at(end))
}
