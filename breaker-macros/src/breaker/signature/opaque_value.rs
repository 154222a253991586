//! Return types whose value type is hidden where the judge is chosen.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{AngleBracketedGenericArguments, GenericArgument, PathArguments, Type, TypeParamBound};

/// Whether an `impl Trait` is the value or in it, as in `Result<impl Iterator<Item = Row>, Error>`.
///
/// The compiler infers such a type from the body, after the judge was chosen. A caller sees no status in it, and
/// neither does the judge.
pub(crate) fn value_is_hidden(returned: &Type) -> bool {
    value_is(returned, mentions_impl)
}

/// Whether the value itself is an `impl Trait`. One inside another type, such as `Result<Pin<Box<impl Stream>>, Error>`, cannot be
/// replaced by a guarded one.
pub(crate) fn value_is_opaque(returned: &Type) -> bool {
    value_is(returned, is_opaque)
}

/// Finds the value in a `Result`, which may be the result of a future or a stream.
fn value_is(returned: &Type, test: fn(&Type) -> bool) -> bool {
    match returned {
        Type::Paren(paren) => value_is(&paren.elem, test),
        Type::Group(group) => value_is(&group.elem, test),
        // For a future or a stream, possibly boxed and pinned, its results matter.
        Type::ImplTrait(future) => future.bounds.iter().any(|bound| value_of_bound_is(bound, test)),
        Type::TraitObject(future) => future.bounds.iter().any(|bound| value_of_bound_is(bound, test)),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return false };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
            match types(arguments).next() {
                Some(inner) if last.ident == "Pin" || last.ident == "Box" => value_is(inner, test),
                Some(value) => test(value),
                None => false,
            }
        }
        _ => false,
    }
}

/// `Future<Output = R>`, `Stream<Item = R>`.
fn value_of_bound_is(bound: &TypeParamBound, test: fn(&Type) -> bool) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    let Some(last) = bound.path.segments.last() else { return false };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
    arguments.args.iter().any(|argument| match argument {
        GenericArgument::AssocType(results) => value_is(&results.ty, test),
        _ => false,
    })
}

fn is_opaque(ty: &Type) -> bool {
    match ty {
        Type::Paren(paren) => is_opaque(&paren.elem),
        Type::Group(group) => is_opaque(&group.elem),
        Type::ImplTrait(_) => true,
        _ => false,
    }
}

fn types(arguments: &AngleBracketedGenericArguments) -> impl Iterator<Item = &Type> {
    arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

pub(crate) fn mentions_impl(ty: &Type) -> bool {
    fn among(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|tree| match tree {
            TokenTree::Ident(ident) => ident == "impl",
            TokenTree::Group(group) => among(group.stream()),
            _ => false,
        })
    }
    among(ty.to_token_stream())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(ty: &str) -> bool {
        value_is_hidden(&syn::parse_str(ty).unwrap())
    }

    #[test]
    fn an_impl_type_as_the_value_hides_it() {
        for ty in [
            "Result<impl Iterator<Item = u8> + use<'_>, E>",
            "io::Result<Vec<impl Sized>>",
            "impl Future<Output = Result<impl Sized, E>> + Send",
            "Pin<Box<dyn Future<Output = Result<impl Sized, E>> + Send + '_>>",
        ] {
            assert!(hidden(ty), "{ty}");
        }
    }

    #[test]
    fn other_return_types_are_known_from_the_signature() {
        for ty in [
            "Result<Response<impl_body::Body>, E>",
            "Result<Response, impl Error>",
            "impl Future<Output = Result<Response, E>>",
            "Pin<Box<dyn Future<Output = Result<Response, E>> + Send + '_>>",
            "io::Result<()>",
            "Self::Out",
            "Reply",
        ] {
            assert!(!hidden(ty), "{ty}");
        }
    }
}
