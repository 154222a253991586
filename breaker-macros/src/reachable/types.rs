//! What the tokens of a field's type mention.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Generics, Type, TypeParamBound, WherePredicate};

/// The generic parameters that a field's type mentions.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mentions {
    pub(super) lifetime: bool,
    /// A type parameter that is not known to be an error which says what it proves.
    pub(super) type_parameter: bool,
    /// Any type parameter.
    pub(super) any_type_parameter: bool,
}

/// Looks for parameters by name: a type cannot mention them in any other way.
pub(super) fn mentions(ty: &Type, generics: &Generics) -> Mentions {
    let mut mentions = Mentions::default();
    visit(ty.to_token_stream(), &mut |token, after_apostrophe| {
        if after_apostrophe {
            mentions.lifetime |= token != "static";
            return;
        }
        let parameter = generics.type_params().find(|parameter| parameter.ident == token);
        if let Some(parameter) = parameter {
            mentions.any_type_parameter = true;
            mentions.type_parameter |= !is_proving(&parameter.ident, generics);
        }
        mentions.lifetime |= token == "Self" && generics.lifetimes().next().is_some();
        mentions.any_type_parameter |= token == "Self" && generics.type_params().next().is_some();
    });
    mentions
}

fn visit(tokens: TokenStream, seen: &mut impl FnMut(&str, bool)) {
    let mut after_apostrophe = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => visit(group.stream(), seen),
            TokenTree::Ident(ident) => seen(&ident.to_string(), after_apostrophe),
            TokenTree::Punct(punct) => {
                after_apostrophe = punct.as_char() == '\'';
                continue;
            }
            TokenTree::Literal(_) => {}
        }
        after_apostrophe = false;
    }
}

/// Whether a type parameter is declared with the bound `ProvesReachable`. The expansion repeats that bound with its full
/// path, so that a trait of another crate that happens to be called so does not pass.
pub(super) fn is_proving(parameter: &syn::Ident, generics: &Generics) -> bool {
    let declared = generics.params.iter().any(|declared| match declared {
        GenericParam::Type(declared) => declared.ident == *parameter && names_the_trait(&declared.bounds),
        _ => false,
    });
    let bounded = generics.where_clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| match predicate {
        WherePredicate::Type(predicate) => {
            *parameter == predicate.bounded_ty.to_token_stream().to_string() && names_the_trait(&predicate.bounds)
        }
        _ => false,
    });
    declared || bounded
}

fn names_the_trait<'a>(bounds: impl IntoIterator<Item = &'a TypeParamBound>) -> bool {
    bounds.into_iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|segment| segment.ident == "ProvesReachable")
        }
        _ => false,
    })
}

/// The types that no alias hides, for they are the language's own. There is nothing to ask about them, and half the
/// fields of real errors are such.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize",
];

/// Whether a type is plain data by its very name.
pub(super) fn is_primitive(ty: &Type) -> bool {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => {
            ty.path.get_ident().is_some_and(|ident| PRIMITIVES.iter().any(|primitive| ident == primitive))
        }
        _ => false,
    }
}
