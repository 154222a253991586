//! The macros, from text to tokens.

use proc_macro2::TokenStream;
use syn::DeriveInput;

/// Expands `#[breaker(ARGUMENTS)] ITEM`: the arguments stand above a line `---`, the item below. `None` where the text
/// does not even lex, so that no macro would be asked.
pub(crate) fn attribute(text: &str) -> Option<TokenStream> {
    let (arguments, item) = text.split_once("\n---\n")?;
    Some(crate::breaker::breaker(arguments.parse().ok()?, item.parse().ok()?))
}

/// Expands `#[derive(ProvesReachable)]` on the type.
pub(crate) fn derive(text: &str) -> Option<TokenStream> {
    let tokens: TokenStream = text.parse().ok()?;
    // What is no type is reported by the compiler.
    let input: DeriveInput = syn::parse2(tokens).ok()?;
    Some(crate::reachable::derive(&input))
}
