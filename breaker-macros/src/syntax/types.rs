//! Mentions of parameters in a type, and types that are recognised by name.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Generics, Ident, PathArguments, Type};

/// The mentions in the type of a field that concern the type of the error.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    pub(crate) lifetime: bool,
    /// Whether it mentions a type parameter, directly or through `Self`.
    pub(crate) type_parameter: bool,
    /// The type parameters that it names.
    pub(crate) parameters: Vec<Ident>,
    /// Whether it contains the type of the error itself. A bound on such a type would require itself.
    pub(crate) itself: bool,
}

/// Searches for parameters by name, which is the only way to mention them.
pub(crate) fn mentions(ty: &Type, owner: &Ident, generics: &Generics) -> Mentions {
    let mut mentions = Mentions::default();
    let mut projected = false;
    visit(ty.to_token_stream(), &mut |token, before| {
        if before == Before::Apostrophe {
            mentions.lifetime |= token != "static";
            return;
        }
        if let Some(parameter) = generics.type_params().find(|parameter| parameter.ident == token) {
            mentions.parameters.push(parameter.ident.clone());
        }
        projected |= token == "as";
        mentions.itself |= token == "Self" || (*owner == token && before != Before::Colon);
        mentions.lifetime |= token == "Self" && generics.lifetimes().next().is_some();
        mentions.type_parameter |= token == "Self" && generics.type_params().next().is_some();
    });
    mentions.type_parameter |= !mentions.parameters.is_empty();
    // `<Self as Trait>::Type` is another type.
    mentions.itself &= !projected;
    mentions
}

/// The token before an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Apostrophe,
    Colon,
    Other,
}

fn visit(tokens: TokenStream, seen: &mut impl FnMut(&str, Before)) {
    let mut before = Before::Other;
    for token in tokens {
        match token {
            TokenTree::Group(group) => visit(group.stream(), seen),
            TokenTree::Ident(ident) => seen(&ident.to_string(), before),
            TokenTree::Punct(punct) => {
                before = match punct.as_char() {
                    '\'' => Before::Apostrophe,
                    ':' => Before::Colon,
                    _ => Before::Other,
                };
                continue;
            }
            TokenTree::Literal(_) => {}
        }
        before = Before::Other;
    }
}

/// Types of the language itself, which no alias can hide. They need no check, and half of the fields of real errors
/// have such a type.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize",
];

/// Whether a type is a rejection by its name, including the pointers and the `Option` that may hold one.
pub(crate) fn is_called_rejection(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_called_rejection(&group.elem),
        Type::Paren(paren) => is_called_rejection(&paren.elem),
        Type::Reference(reference) => is_called_rejection(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| match &last.arguments {
            PathArguments::None => last.ident == "CircuitOpen",
            PathArguments::AngleBracketed(arguments) => {
                let held = ["Box", "Rc", "Arc", "Option"].iter().any(|holder| last.ident == holder);
                let is_rejection = |held: &_| matches!(held, GenericArgument::Type(held) if is_called_rejection(held));
                held && arguments.args.iter().all(is_rejection)
            }
            PathArguments::Parenthesized(_) => false,
        }),
        _ => false,
    }
}

/// Whether a type is plain data by its name.
pub(crate) fn is_primitive(ty: &Type) -> bool {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => {
            ty.path.get_ident().is_some_and(|ident| PRIMITIVES.iter().any(|primitive| ident == primitive))
        }
        _ => false,
    }
}
