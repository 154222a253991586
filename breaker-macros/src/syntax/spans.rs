//! Ranges of spans for compiler errors.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeParamBound};

/// A range of the user's code. A span covers a single token on stable Rust; with the first and the last span, the
/// compiler underlines everything between.
#[derive(Clone, Copy)]
pub(crate) struct SpanRange {
    pub(crate) first: Span,
    pub(crate) last: Span,
}

impl SpanRange {
    pub(crate) fn of(tokens: impl ToTokens) -> Self {
        let mut trees = tokens.to_token_stream().into_iter();
        let Some(first) = trees.next() else { return Self { first: Span::call_site(), last: Span::call_site() } };
        let last = trees.last().unwrap_or_else(|| first.clone());
        Self { first: first_of(&first), last: last_of(&last) }
    }

    /// Returns the error type where the return type, or the future or stream in it, shows one, and else the return
    /// type. For a named type it is the last name of the path, because the compiler reports a repeated bound once only
    /// at the same token.
    pub(crate) fn of_error_type(returned: &Type) -> Self {
        match returned {
            Type::Group(group) => Self::of_error_type(&group.elem),
            Type::Paren(paren) => Self::of_error_type(&paren.elem),
            Type::ImplTrait(handed_out) => Self::of_results(&handed_out.bounds).unwrap_or_else(|| Self::of(returned)),
            Type::TraitObject(handed_out) => Self::of_results(&handed_out.bounds).unwrap_or_else(|| Self::of(returned)),
            Type::Path(path) => {
                let last = path.path.segments.last();
                match last.and_then(|last| last_type(last).map(|inner| (last.ident.to_string(), inner))) {
                    Some((name, inner)) if WRAPPERS.contains(&name.as_str()) => Self::of_error_type(inner),
                    Some((_, error)) if last.is_some_and(has_several) => Self::of_name(error),
                    _ => Self::of_name(returned),
                }
            }
            _ => Self::of(returned),
        }
    }

    fn of_results<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Option<Self> {
        associated_type(bounds).map(Self::of_error_type)
    }

    fn of_name(ty: &Type) -> Self {
        match ty {
            Type::Group(group) => Self::of_name(&group.elem),
            Type::Path(path) => path.path.segments.last().map_or_else(|| Self::of(ty), |last| Self::of(&last.ident)),
            _ => Self::of(ty),
        }
    }

    /// Moves tokens to this range for compiler errors. Their names resolve as before.
    pub(crate) fn cover(self, tokens: TokenStream) -> TokenStream {
        let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
        let count = trees.len();
        for (position, tree) in trees.iter_mut().enumerate() {
            let place = if position + 1 == count { self.last } else { self.first };
            tree.set_span(tree.span().located_at(place));
        }
        trees.into_iter().collect()
    }

    /// Builds a closure or block whose first tokens and braces are in this range. The statements keep their spans.
    pub(crate) fn enclose(self, head: TokenStream, statements: TokenStream) -> TokenStream {
        let mut tokens = head;
        tokens.extend([TokenTree::Group(Group::new(Delimiter::Brace, statements))]);
        self.cover(tokens)
    }

    /// Builds a call that spans this range. The arguments keep their spans.
    pub(crate) fn call(self, function: TokenStream, arguments: TokenStream) -> TokenStream {
        let mut call = function;
        call.extend([TokenTree::Group(Group::new(Delimiter::Parenthesis, arguments))]);
        self.cover(call)
    }
}

/// Returns `R` of `Future<Output = R>` or `Stream<Item = R>`.
pub(crate) fn associated_type<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Option<&'b Type> {
    bounds.into_iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else { return None };
        let PathArguments::AngleBracketed(generics) = &bound.path.segments.last()?.arguments else { return None };
        generics.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(results) if results.ident == "Output" || results.ident == "Item" => {
                Some(&results.ty)
            }
            _ => None,
        })
    })
}

/// Types whose last type argument may be a future or a stream.
const WRAPPERS: &[&str] = &["Pin", "Box", "BoxFuture", "LocalBoxFuture", "BoxStream", "LocalBoxStream"];

fn last_type(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(generics) = &segment.arguments else { return None };
    match generics.args.last() {
        Some(GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}

fn has_several(segment: &PathSegment) -> bool {
    matches!(&segment.arguments, PathArguments::AngleBracketed(generics) if generics.args.len() > 1)
}

fn first_of(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => open_of(group),
        other => other.span(),
    }
}

fn last_of(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => close_of(group),
        other => other.span(),
    }
}

/// A group without delimiters has no span of its own.
fn open_of(group: &Group) -> Span {
    match group.delimiter() {
        Delimiter::None => group.stream().into_iter().next().map_or_else(|| group.span(), |tree| first_of(&tree)),
        _ => group.span_open(),
    }
}

fn close_of(group: &Group) -> Span {
    match group.delimiter() {
        Delimiter::None => group.stream().into_iter().last().map_or_else(|| group.span(), |tree| last_of(&tree)),
        _ => group.span_close(),
    }
}
