//! The macros of [`breaker-core`](https://docs.rs/breaker-core): use them through that crate.

mod breaker;
mod diagnostics;
mod reachable;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Guards the calls of a function with the circuit of their connection.
#[proc_macro_attribute]
pub fn breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    breaker::breaker(args.into(), item.into()).into()
}

/// Marks.
#[proc_macro_derive(ProvesReachable, attributes(reachable))]
pub fn derive_proves_reachable(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    reachable::derive(&input).into()
}
