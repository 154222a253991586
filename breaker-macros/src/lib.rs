//! The macros of [`breaker-core`](https://docs.rs/breaker-core): use them through that crate.

mod diagnostics;
mod reachable;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Marks.
#[proc_macro_derive(ProvesReachable, attributes(reachable))]
pub fn derive_proves_reachable(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    reachable::derive(&input).into()
}
