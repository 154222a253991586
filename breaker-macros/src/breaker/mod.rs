//! `#[breaker(...)]`: parsing, validation, expansion.

mod cfg_attr;
mod expand;
mod impl_block;
mod parse;
mod signature;
mod validate;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::parse::Parser as _;

use crate::diagnostics::Diagnostics;
use parse::args::Args;
use parse::function::Function;
use parse::half_written::{self, Recovery};
use parse::impl_items::ImplBlock;
use parse::item::Item;

/// Returns the guarded item, or, after a mistake, the item as it was written with the errors.
pub(crate) fn breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    if is_name_value(&args) {
        return item;
    }
    let args = Args::parse(args, &mut diagnostics);
    match Item::parse.parse2(ungrouped(item.clone())) {
        Ok(Item::Function(function)) => guard_function(&function, &args, diagnostics),
        Ok(Item::ImplBlock(block)) => guard_block(block, &args, diagnostics),
        Ok(Item::Other(error)) | Err(error) => {
            if half_written::recovery_of(&item) == Recovery::None {
                diagnostics.push(error);
            }
            with_errors(diagnostics, item)
        }
    }
}

fn guard_function(function: &Function, args: &Args, mut diagnostics: Diagnostics) -> TokenStream {
    validate::function(function, args, &mut diagnostics);
    if diagnostics.is_empty() {
        expand::function(function, args)
    } else {
        with_errors(diagnostics, validate::unguarded(function))
    }
}

/// A mistake in the arguments of the block would be repeated for every method, so the methods are not guarded then.
fn guard_block(block: ImplBlock, args: &Args, mut diagnostics: Diagnostics) -> TokenStream {
    validate::block(args, &mut diagnostics);
    let block = if diagnostics.is_empty() {
        impl_block::guarded(block, args, &mut diagnostics)
    } else {
        impl_block::unguarded(block)
    };
    with_errors(diagnostics, block)
}

/// Whether the attribute was written `#[breaker = "x"]`, which the compiler refuses by itself. The tokens that it
/// passes look like those of `#[breaker("x")]`.
fn is_name_value(args: &TokenStream) -> bool {
    let mut trees = args.clone().into_iter();
    matches!((trees.next(), trees.next()), (Some(TokenTree::Literal(_)), None))
        && Span::call_site().source_text().is_some_and(|attribute| !attribute.contains('('))
}

/// Removes the group without delimiters in which a `macro_rules!` macro passes an item.
fn ungrouped(item: TokenStream) -> TokenStream {
    let mut trees = item.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => ungrouped(group.stream()),
        _ => item,
    }
}

fn with_errors(diagnostics: Diagnostics, item: TokenStream) -> TokenStream {
    let mut output = diagnostics.into_compile_errors();
    output.extend(item);
    output
}
