//! The shape of a function's return type, as far as the expansion depends on its spelling.

use syn::{GenericArgument, PathArguments, Type, TypeParamBound};

use crate::breaker::parse::function::Function;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `async fn`.
    Async,
    /// `-> impl Future`, or another type that cannot be named.
    OpaqueFuture,
    /// `-> impl Stream`.
    OpaqueStream,
    /// `-> Pin<Box<dyn Future>>`.
    BoxedFuture,
    /// `-> Pin<Box<dyn Stream>>`.
    BoxedStream,
    /// Any other type, including aliases of a box: the type system decides.
    Plain,
}

impl Shape {
    /// Whether a method of this shape looks like a call, so that an annotated `impl` block guards it.
    pub(crate) fn looks_like_a_call(function: &Function, blocking: bool) -> bool {
        match (Self::of(function), function.returned()) {
            (Self::Async | Self::OpaqueStream | Self::BoxedFuture | Self::BoxedStream, _) => true,
            (Self::OpaqueFuture, Some(ty)) => names_future(ty),
            (Self::Plain, Some(ty)) => is_called(ty, &["Future", "Stream"]) || blocking && is_called(ty, &["Result"]),
            (Self::OpaqueFuture | Self::Plain, None) => false,
        }
    }

    pub(crate) fn of(function: &Function) -> Self {
        if function.sig.asyncness.is_some() {
            return Self::Async;
        }
        function.returned().map_or(Self::Plain, of_type)
    }
}

fn of_type(ty: &Type) -> Shape {
    match ty {
        Type::Group(group) => of_type(&group.elem),
        Type::Paren(paren) => of_type(&paren.elem),
        Type::ImplTrait(opaque) if names(&opaque.bounds, "Stream") => Shape::OpaqueStream,
        Type::ImplTrait(_) => Shape::OpaqueFuture,
        Type::Path(path) => {
            path.path.segments.last().map_or(Shape::Plain, |last| match last.ident.to_string().as_str() {
                "BoxFuture" | "LocalBoxFuture" => Shape::BoxedFuture,
                "BoxStream" | "LocalBoxStream" => Shape::BoxedStream,
                "Pin" => argument(&last.arguments).map_or(Shape::Plain, of_pointer),
                _ => Shape::Plain,
            })
        }
        _ => Shape::Plain,
    }
}

/// Finds `Box<dyn Future>` in `Pin<Box<dyn Future>>`.
fn of_pointer(ty: &Type) -> Shape {
    match ty {
        Type::Group(group) => of_pointer(&group.elem),
        Type::Path(path) => path
            .path
            .segments
            .last()
            .filter(|last| last.ident == "Box")
            .and_then(|last| argument(&last.arguments))
            .map_or(Shape::Plain, of_object),
        _ => Shape::Plain,
    }
}

/// Finds `dyn Future` in that.
fn of_object(ty: &Type) -> Shape {
    match ty {
        Type::Group(group) => of_object(&group.elem),
        Type::Paren(paren) => of_object(&paren.elem),
        Type::TraitObject(object) if names(&object.bounds, "Stream") => Shape::BoxedStream,
        Type::TraitObject(object) if names(&object.bounds, "Future") => Shape::BoxedFuture,
        _ => Shape::Plain,
    }
}

fn argument(arguments: &PathArguments) -> Option<&Type> {
    match arguments {
        PathArguments::AngleBracketed(generics) => match generics.args.first() {
            Some(GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a trait of this name, or one whose name ends with it, is among the bounds.
fn names<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>, name: &str) -> bool {
    bounds.into_iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| last.ident.to_string().ends_with(name))
        }
        _ => false,
    })
}

fn names_future(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => names_future(&group.elem),
        Type::Paren(paren) => names_future(&paren.elem),
        Type::ImplTrait(opaque) => names(&opaque.bounds, "Future"),
        _ => false,
    }
}

/// Whether the name of a type ends with one of these, as that of `io::Result` and `ShopResult` does.
fn is_called(ty: &Type, endings: &[&str]) -> bool {
    match ty {
        Type::Group(group) => is_called(&group.elem, endings),
        Type::Paren(paren) => is_called(&paren.elem, endings),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            endings.iter().any(|ending| name.ends_with(ending))
        }),
        _ => false,
    }
}
