//! Connections that outlive the call.

use syn::{Expr, FnArg, Pat, ReceiverKind, Signature, Type};

/// Whether the expression is a path of fields behind a shared reference that the function received. The circuit can
/// then be borrowed for the whole call.
pub(crate) fn outlives_the_call(connection: &Expr, sig: &Signature) -> bool {
    root_of_fields(connection).is_some_and(|root| is_shared_reference(root, sig))
}

/// Returns `self` of `self.a.b`, which has at least one field.
fn root_of_fields(expr: &Expr) -> Option<&syn::Ident> {
    match expr {
        Expr::Field(field) => match &*field.base {
            Expr::Path(path) => path.path.get_ident(),
            base => root_of_fields(base),
        },
        Expr::Group(group) => root_of_fields(&group.expr),
        Expr::Paren(paren) => root_of_fields(&paren.expr),
        _ => None,
    }
}

fn is_shared_reference(root: &syn::Ident, sig: &Signature) -> bool {
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
