//! The question that a field is asked at run time, by what its type mentions.

use syn::punctuated::Punctuated;
use syn::{Attribute, Field, Generics, Ident, Token, TypeParamBound, WherePredicate};

use crate::syntax::types::Mentions;

/// The question that a field is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// The type is concrete.
    Concrete,
    /// The type mentions parameters, and each is `'static`. It needs the bounds where they are not declared.
    Static,
    /// The type mentions a lifetime, or a parameter that may be borrowed.
    Open,
}

/// Returns the question for a field.
///
/// Only a `'static` value can show whether it is one of the known errors. A parameter is `'static` where its bounds declare
/// that, and where the field holds an error, whose `source` must be `'static`. Every other parameter may be a borrowed
/// payload, such as the identifier in `Malformed(Id)`, and a bound would exclude that.
pub(crate) fn of(field: &Field, mentions: &Mentions, of: &[Attribute], generics: &Generics) -> Question {
    if mentions.lifetime {
        return Question::Open;
    }
    if !mentions.type_parameter {
        return Question::Concrete;
    }
    let holds_error = holds_error(field, of);
    let is_static = |parameter: &Ident| {
        let bounds: Vec<_> = bounds_of(parameter, generics).collect();
        let has_trait = |name| bounds.iter().any(|bound| is_trait(bound, name));
        bounds.iter().any(|bound| matches!(bound, TypeParamBound::Lifetime(lifetime) if lifetime.ident == "static"))
            || (!has_trait("ProvesReachable") && (has_trait("Error") || holds_error))
    };
    if mentions.itself || !mentions.parameters.iter().all(is_static) {
        return Question::Open;
    }
    Question::Static
}

/// Whether a field holds an error, by its name and the attributes of `thiserror`.
fn holds_error(field: &Field, of: &[Attribute]) -> bool {
    const NAMES: [&str; 4] = ["error", "err", "source", "cause"];
    let is_called_error = field.ident.as_ref().is_some_and(|name| NAMES.iter().any(|error| name == error));
    let is_transparent = |attribute: &Attribute| {
        attribute.path().is_ident("error")
            && attribute.parse_args::<Ident>().is_ok_and(|argument| argument == "transparent")
    };
    is_called_error
        || field.attrs.iter().any(|attribute| attribute.path().is_ident("from") || attribute.path().is_ident("source"))
        || of.iter().any(is_transparent)
}

fn bounds_of<'g>(parameter: &'g Ident, generics: &'g Generics) -> impl Iterator<Item = &'g TypeParamBound> {
    let declared = generics.type_params().filter(move |declared| declared.ident == *parameter);
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_clause = predicates.filter_map(move |predicate| match predicate {
        WherePredicate::Type(predicate) if is_type(&predicate.bounded_ty, parameter) => Some(&predicate.bounds),
        _ => None,
    });
    let declared = declared.map(|declared| &declared.bounds);
    declared.chain(of_clause).flat_map(Punctuated::<TypeParamBound, Token![+]>::iter)
}

fn is_type(ty: &syn::Type, parameter: &Ident) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(parameter))
}

fn is_trait(bound: &TypeParamBound, name: &str) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == name))
}
