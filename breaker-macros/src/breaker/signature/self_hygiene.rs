//! Hygiene of `self` in arguments.
//!
//! If a `macro_rules!` macro writes the attribute around its caller's method, its `self` is a different identifier from
//! the `self` of that method, because the compiler distinguishes identifiers by the place where they are written.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Expr, Signature};

use crate::breaker::parse::args::Args;

impl Args {
    /// Returns the arguments with the `self` of the function.
    pub(crate) fn with_self_of(mut self, sig: &Signature) -> Self {
        let Some(receiver) = sig.receiver() else { return self };
        for expr in self.expressions_mut() {
            put_into(expr, receiver.self_token.span);
        }
        self
    }
}

/// Replaces each `self` in the expression by that of this receiver. Errors keep their place.
fn put_into(expr: &mut Expr, receiver: Span) {
    let tokens = expr.to_token_stream();
    if !mentions_self(tokens.clone()) {
        return;
    }
    if let Ok(own) = syn::parse2(with_self(tokens, receiver)) {
        *expr = own;
    }
}

fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => mentions_self(group.stream()),
        TokenTree::Ident(ident) => ident == "self",
        _ => false,
    })
}

fn with_self(tokens: TokenStream, receiver: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Group(group) if mentions_self(group.stream()) => {
                let mut inner = Group::new(group.delimiter(), with_self(group.stream(), receiver));
                inner.set_span(group.span());
                inner.into()
            }
            TokenTree::Ident(mut ident) if ident == "self" => {
                ident.set_span(ident.span().resolved_at(receiver));
                ident.into()
            }
            other => other,
        })
        .collect()
}
