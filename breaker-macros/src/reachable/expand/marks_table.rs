//! Expansion of the table of marks, with the check of constant statuses.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::reachable::parse::Input;
use crate::reachable::parse::status::Status;
use crate::reachable::validate::{JudgedVariant, Proof};
use crate::syntax::expansion_spans::{ends, of_derive};
use crate::syntax::types::is_primitive;

pub(crate) fn rows(input: &Input<'_>, judged: &[JudgedVariant<'_>], support: &TokenStream) -> TokenStream {
    let rows = judged.iter().map(|judged| row(input, judged, support));
    quote!(#(#rows),*)
}

/// Builds one row. A tuple of literals is fastest to compile.
fn row(input: &Input<'_>, judged: &JudgedVariant<'_>, support: &TokenStream) -> TokenStream {
    let name = judged.variant.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let evidence = match &judged.proof {
        Proof::Answer if !judged.by_mark_of_type => quote!(#support::ANSWERED),
        Proof::Unknown | Proof::Rejection(_) => quote!(#support::UNKNOWN),
        Proof::ByStatus(_) | Proof::Transparent(_) => quote!(#support::BY_VALUE),
        Proof::Answer | Proof::Failure => {
            let (fixed, otherwise) = match &judged.proof {
                Proof::Answer => (quote!(ANSWERED), quote!(answered)),
                _ => (quote!(FAILED), quote!(failed)),
            };
            let types = judged.variant.fields.iter().map(|field| field.ty).filter(|ty| !is_primitive(ty));
            let types: Vec<_> = types.map(of_derive).collect();
            if types.is_empty() {
                quote!(#support::#fixed)
            } else {
                quote!(#support::#otherwise(#(#support::RejectionType::<#types>::ask().__breaker_held())||*))
            }
        }
    };
    let reason = judged.because.map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let statuses = statuses(input, judged, support);
    quote!((#name, #evidence, #statuses, #reason))
}

/// Builds the statuses of a mark. The constants among them are checked when this constant is evaluated, which always
/// happens.
fn statuses(input: &Input<'_>, judged: &JudgedVariant<'_>, support: &TokenStream) -> TokenStream {
    if judged.statuses.is_empty() {
        return quote!(&[]);
    }
    let has_reason = judged.because.is_some();
    // A generic type has no name that could replace `Self`.
    let is_generic = !input.generics.params.is_empty();
    let codes = judged.statuses.iter().map(|status| match status {
        Status::Literal(code, _) => code.to_token_stream(),
        Status::Constant(expr) => {
            let (start, end) = ends(expr);
            let expr =
                if is_generic { expr.to_token_stream() } else { without_self(expr.to_token_stream(), input.ident) };
            let check = quote_spanned!(start=> __breaker_marks::checked);
            let status = quote_spanned!(end=> __breaker_marks::StatusGivenAs(#expr).must_be_u16_or_http_status_code());
            let arguments = quote_spanned!(end=> (#status, #has_reason));
            quote!(#check #arguments)
        }
    });
    let is_open = judged.statuses.iter().any(|status| matches!(status, Status::Constant(_)));
    let short_name = is_open.then(|| quote!(use #support as __breaker_marks;));
    let check = judged.reason_for_constants.map(|because| {
        let span = ends(because).0;
        quote_spanned!(span=> const _: () = __breaker_marks::reason_is_needed(__BREAKER_STATUSES);)
    });
    // Only the value of a constant shows whether it repeats another status.
    let mut after_constant = false;
    let repeated = judged.statuses.iter().enumerate().filter_map(|(at, status)| {
        let ((start, end), is_constant) = match status {
            Status::Literal(_, literal) => (ends(literal), false),
            Status::Constant(expr) => (ends(expr), true),
        };
        let open = at > 0 && (is_constant || after_constant);
        after_constant |= is_constant;
        open.then(|| {
            let check = quote_spanned!(start=> __breaker_marks::listed_once);
            let arguments = quote_spanned!(end=> (__BREAKER_STATUSES, #at));
            quote!(const _: () = #check #arguments;)
        })
    });
    quote!({
        #short_name
        const __BREAKER_STATUSES: &[u16] = &[#(#codes),*];
        #(#repeated)*
        #check
        __BREAKER_STATUSES
    })
}

/// Replaces `Self` in an expression by the name of the type, because `Self` has no meaning in a constant of a method.
fn without_self(tokens: TokenStream, name: &Ident) -> TokenStream {
    let token = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let mut named = Group::new(group.delimiter(), without_self(group.stream(), name));
            named.set_span(group.span());
            TokenTree::Group(named)
        }
        TokenTree::Ident(ident) if ident == "Self" => {
            let mut name = name.clone();
            name.set_span(Span::mixed_site().located_at(ident.span()));
            TokenTree::Ident(name)
        }
        other => other,
    };
    tokens.into_iter().map(token).collect()
}
