//! The macros as functions from text to tokens.

use proc_macro2::TokenStream;
use syn::DeriveInput;

/// Expands `#[breaker(ARGUMENTS)] ITEM`, with the arguments above a line `---` and the item below it. Returns `None`
/// where the text cannot be tokenised, so that no macro would be called.
pub(crate) fn attribute(text: &str) -> Option<TokenStream> {
    let (arguments, item) = text.split_once("\n---\n")?;
    Some(crate::breaker::breaker(arguments.parse().ok()?, item.parse().ok()?))
}

/// Expands `#[derive(ProvesReachable)]` on the type.
pub(crate) fn derive(text: &str) -> Option<TokenStream> {
    let tokens: TokenStream = text.parse().ok()?;
    // The compiler reports an item that is not a type.
    let input: DeriveInput = syn::parse2(tokens).ok()?;
    Some(crate::reachable::derive(&input))
}
