//! The macros of [`breaker-core`](https://docs.rs/breaker-core): use them through that crate.

mod breaker;
mod diagnostics;

use proc_macro::TokenStream;

/// Guards the calls of a function with the circuit of their connection.
#[proc_macro_attribute]
pub fn breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    breaker::breaker(args.into(), item.into()).into()
}
