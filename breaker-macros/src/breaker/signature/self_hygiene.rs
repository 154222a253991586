//! Whose `self` the arguments mean.
//!
//! A `macro_rules!` macro that writes the attribute around a method of its caller's writes another `self` than that method
//! has: of two variables of one name, the compiler tells by who wrote them which is meant.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Expr, Signature};

use crate::breaker::parse::args::Args;

impl Args {
    /// The arguments with the function's own `self`.
    pub(crate) fn with_self_of(mut self, sig: &Signature) -> Self {
        let Some(receiver) = sig.receiver() else { return self };
        let places =
            [&mut self.connection, &mut self.registry, &mut self.is_failure, &mut self.is_success, &mut self.fallback];
        for expr in places.into_iter().flatten() {
            put_into(expr, receiver.self_token.span);
        }
        self
    }
}

/// Makes each `self` in the expression the one of this receiver. Errors stay where it was written.
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
