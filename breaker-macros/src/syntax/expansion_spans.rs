//! Spans of an expansion, chosen so that compiler errors point at the user's tokens.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;

/// Returns the first and the last span of some tokens, resolved at the macro.
pub(crate) fn ends(tokens: &(impl ToTokens + Spanned)) -> (Span, Span) {
    let own = Span::mixed_site();
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let start = spans.next().unwrap_or_else(|| tokens.span());
    let end = spans.last().unwrap_or(start);
    (own.located_at(start), own.located_at(end))
}

/// Returns a name or a type with spans of the macro, so that lints such as `deprecated` do not fire for the expansion.
pub(crate) fn of_derive(tokens: &impl ToTokens) -> TokenStream {
    let tokens = tokens.to_token_stream();
    // A macro is resolved by the place where its name is written, so its tokens keep their spans.
    if calls_macro(&tokens) { tokens } else { respanned(tokens) }
}

fn respanned(tokens: TokenStream) -> TokenStream {
    let token = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let mut respanned = Group::new(group.delimiter(), respanned(group.stream()));
            respanned.set_span(group.span());
            TokenTree::Group(respanned)
        }
        TokenTree::Ident(mut ident) if ident != "$crate" => {
            ident.set_span(Span::mixed_site().located_at(ident.span()));
            TokenTree::Ident(ident)
        }
        other => other,
    };
    tokens.into_iter().map(token).collect()
}

fn calls_macro(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => calls_macro(&group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '!',
        _ => false,
    })
}
