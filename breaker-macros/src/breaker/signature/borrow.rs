//! Borrows of the values in the arguments of the attribute. Errors about the type of a value are at the whole expression.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, FnArg, Ident, Pat, ReceiverKind, Signature, Type};

use crate::syntax::spans::SpanRange;

/// Borrows a value for now.
pub(crate) fn here(expr: &Expr) -> TokenStream {
    SpanRange::of(expr).cover(quote_spanned!(Span::mixed_site()=> &(#expr)))
}

/// Borrows a connection for the whole call, if it is behind a shared reference that the function received: what the
/// reference points to, or a path of its fields.
pub(crate) fn for_the_call(connection: &Expr, sig: &Signature) -> Option<TokenStream> {
    let (root, is_field) = root_of_fields(connection)?;
    if !is_shared_reference(root, sig) {
        None
    } else if is_field {
        Some(here(connection))
    } else {
        Some(SpanRange::of(connection).cover(quote_spanned!(Span::mixed_site()=> &*(#connection))))
    }
}

/// Returns `self` of `self.a.b`, and whether there is a field.
fn root_of_fields(expr: &Expr) -> Option<(&Ident, bool)> {
    match expr {
        Expr::Path(path) => Some((path.path.get_ident()?, false)),
        Expr::Field(field) => root_of_fields(&field.base).map(|(root, _)| (root, true)),
        Expr::Group(group) => root_of_fields(&group.expr),
        Expr::Paren(paren) => root_of_fields(&paren.expr),
        _ => None,
    }
}

fn is_shared_reference(root: &Ident, sig: &Signature) -> bool {
    sig.inputs.iter().any(|input| match input {
        FnArg::Receiver(receiver) => {
            root == "self"
                && match &receiver.kind {
                    ReceiverKind::Reference(_, _, None) => true,
                    ReceiverKind::Typed(_, ty) => is_reference(ty),
                    _ => false,
                }
        }
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(pat) => {
                pat.ident == *root && pat.by_ref.is_none() && pat.mutability.is_none() && is_reference(&typed.ty)
            }
            _ => false,
        },
    })
}

fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Group(group) => is_reference(&group.elem),
        Type::Paren(paren) => is_reference(&paren.elem),
        _ => false,
    }
}
