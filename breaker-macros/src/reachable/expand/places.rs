//! Where the tokens of the expansion claim to stand, so that the compiler's errors point at the user's.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

/// The first and the last place of some tokens, resolved as the macro's own.
pub(super) fn ends(tokens: &(impl ToTokens + Spanned)) -> (Span, Span) {
    let own = Span::mixed_site();
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let start = spans.next().unwrap_or_else(|| tokens.span());
    let end = spans.last().unwrap_or(start);
    (own.located_at(start), own.located_at(end))
}
