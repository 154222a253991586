//! What the attribute cannot stand on, in one sentence each.

use super::args::Args;
use super::function::{Body, Function, is_block};
use crate::diagnostics::Diagnostics;

pub(super) fn function(function: &Function, args: &Args, diagnostics: &mut Diagnostics) {
    if args.connection.is_none() && diagnostics.is_empty() {
        diagnostics.push(syn::Error::new(
            proc_macro2::Span::call_site(),
            "which connection does this call belong to? Write `#[breaker(connection = self.connection)]`",
        ));
    }
    let sig = &function.sig;
    if let Some(constness) = sig.constness {
        diagnostics.error(constness, "a `const fn` makes no outbound call, so there is nothing to guard");
    }
    match &function.body {
        Body::Block(block) if is_block(block) => {}
        Body::Block(other) => diagnostics.error(other, "expected the body of a function"),
        Body::Missing(semicolon) => diagnostics.error(
            semicolon,
            "there is no body to guard here: put `#[breaker]` on the methods of the `impl`, or on a default method",
        ),
    }
    if function.returned().is_none() {
        diagnostics.error(
            &sig.ident,
            "a guarded function returns a `Result`, and this one returns nothing: a circuit learns from errors, and a rejection is one",
        );
    }
}
