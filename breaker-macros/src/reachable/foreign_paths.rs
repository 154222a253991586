//! Error types of well-known crates in the type of a field, found by their paths.

use syn::ext::IdentExt;
use syn::{GenericArgument, PathArguments, Type, TypePath};

use crate::reachable::foreign_types::ForeignType;

/// Returns what a type of another crate in `ty` can prove, if its path names one: the strictest, where there are several.
pub(crate) fn find(ty: &Type) -> Option<ForeignType> {
    match ty {
        Type::Path(path) => in_path(path),
        Type::Group(group) => find(&group.elem),
        Type::Paren(paren) => find(&paren.elem),
        Type::Reference(reference) => find(&reference.elem),
        Type::Ptr(pointer) => find(&pointer.elem),
        Type::Array(array) => find(&array.elem),
        Type::Slice(slice) => find(&slice.elem),
        Type::Tuple(tuple) => strictest(tuple.elems.iter().filter_map(find)),
        _ => None,
    }
}

/// A single name is not a path: the compiler resolves it, and the table of marks compares the name of its type. Only
/// `StatusCode` means a status wherever it is from.
fn in_path(ty: &TypePath) -> Option<ForeignType> {
    if ty.qself.is_some() {
        return None;
    }
    let segments = &ty.path.segments;
    let (first, last) = (segments.first()?.ident.unraw().to_string(), segments.last()?);
    let name = last.ident.unraw().to_string();
    let itself = if segments.len() > 1 { ForeignType::find(&first, &name) } else { None };
    let itself = itself.or_else(|| (name == "StatusCode").then_some(ForeignType::Status));
    let of_arguments = segments.iter().flat_map(|segment| match &segment.arguments {
        // It holds no value.
        _ if segment.ident == "PhantomData" => Vec::new(),
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => find(ty),
                _ => None,
            })
            .collect(),
        PathArguments::None | PathArguments::Parenthesized(_) => Vec::new(),
    });
    strictest(itself.into_iter().chain(of_arguments))
}

fn strictest(found: impl Iterator<Item = ForeignType>) -> Option<ForeignType> {
    found.min_by_key(|found| match found {
        ForeignType::NeverReachable => 0,
        ForeignType::Mixed => 1,
        ForeignType::Status => 2,
    })
}
