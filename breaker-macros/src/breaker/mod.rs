//! `#[breaker(...)]`: parse, validate, expand.

mod args;
mod bindings;
mod expand;
mod function;
mod hidden;
mod place;
mod spans;
mod validate;

use proc_macro2::TokenStream;
use syn::parse::Parser as _;

use crate::diagnostics::Diagnostics;
use args::Args;
use function::Function;

/// The guarded item; where something is wrong with it, the item as it was written, and the mistakes.
pub(crate) fn breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let args = Args::parse(args, &mut diagnostics);
    let function = match Function::parse.parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            diagnostics.push(error);
            return unguarded(item, diagnostics);
        }
    };
    validate::function(&function, &args, &mut diagnostics);
    if diagnostics.is_empty() { expand::function(&function, &args) } else { unguarded(item, diagnostics) }
}

fn unguarded(item: TokenStream, diagnostics: Diagnostics) -> TokenStream {
    let mut output = diagnostics.into_compile_errors();
    output.extend(item);
    output
}
