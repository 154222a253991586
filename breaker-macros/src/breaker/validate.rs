//! What the attribute cannot stand on, in one sentence each.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::{Type, TypeParamBound};

use super::parse::args::Args;
use super::parse::function::{Body, Function, braces};
use super::signature::return_shape::Shape;
use crate::diagnostics::Diagnostics;

/// A function with an attribute of its own.
pub(crate) fn function(function: &Function, args: &Args, diagnostics: &mut Diagnostics) {
    if let Some(skip) = &args.skip {
        diagnostics.error(skip, "`skip` leaves a method out of an annotated `impl` block, and there is none around it");
        return;
    }
    if let Some(blocking) = &args.blocking {
        diagnostics.error(blocking, "`blocking` belongs on an `impl` block: an annotated `fn` is guarded anyway");
    }
    // Where another argument is wrong, the connection may well be meant by it.
    if args.connection.is_none() && diagnostics.is_empty() {
        diagnostics.push(syn::Error::new(Span::call_site(), NO_CONNECTION));
    }
    guardable(function, args, "", diagnostics);
}

/// A method of an annotated block, with an attribute of its own or without.
pub(crate) fn method(method: &Function, args: &Args, diagnostics: &mut Diagnostics) {
    if let Some(blocking) = &args.blocking {
        diagnostics.error(blocking, "`blocking` belongs on the `impl` block");
    }
    guardable(method, args, "; `#[breaker(skip)]` leaves it out", diagnostics);
}

/// The arguments of a block.
pub(crate) fn block(args: &Args, diagnostics: &mut Diagnostics) {
    if let Some(skip) = &args.skip {
        diagnostics.error(skip, "`skip` leaves out a single method: put `#[breaker(skip)]` there");
    }
}

pub(crate) const NO_CONNECTION: &str =
    "which connection does this call belong to? Write `#[breaker(connection = self.connection)]`, with yours";

pub(crate) const NOTHING_TO_GUARD: &str = "nothing in this `impl` block is guarded: an `async fn` with a receiver would be, and a method that returns an `impl` or \
     boxed future or stream; add `blocking` for plain methods that return a `Result`, or put `#[breaker]` on one";

/// Traits of `std` that no future and no stream has. Of others the compiler says by the type that it is neither, and then
/// that the guard around it lacks the trait.
const NO_FUTURES: &[&str] =
    &["Iterator", "DoubleEndedIterator", "ExactSizeIterator", "Fn", "FnMut", "FnOnce", "Display", "Read", "Write"];

fn guardable(function: &Function, args: &Args, way_out: &str, diagnostics: &mut Diagnostics) {
    let sig = &function.sig;
    let is_future = matches!(Shape::of(function), Shape::Async | Shape::OpaqueFuture | Shape::BoxedFuture);
    if let (Some(timeout), false) = (&args.timeout, is_future) {
        diagnostics.error(
            &timeout.literal,
            format_args!("`timeout` drops a future, and `{}` makes none: limit the time inside it", sig.ident),
        );
    }
    if let Some(constness) = sig.constness {
        diagnostics.error(
            constness,
            format_args!("a `const fn` makes no outbound call, so there is nothing to guard{way_out}"),
        );
    }
    match &function.body {
        Body::Block(block) if braces(block).is_some() => {}
        Body::Block(other) => diagnostics.error(other, "expected the body of a function"),
        Body::Missing(_) => diagnostics.error(
            &sig.ident,
            "there is no body here to guard: put `#[breaker]` where the method is implemented, or on a default method",
        ),
    }
    if let Some(Type::ImplTrait(opaque)) = function.returned() {
        let is_known = |bound: &TypeParamBound| match bound {
            TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|last| NO_FUTURES.iter().any(|name| last.ident == name))
            }
            _ => false,
        };
        if opaque.bounds.iter().any(is_known) {
            let message = format!(
                "this is neither a future nor a stream, so there is nothing to guard: collect it, and return a \
                 `Result`{way_out}"
            );
            diagnostics.error(opaque, message);
        }
    }
    if function.returned().is_none() {
        diagnostics.error(
            sig.ident.to_token_stream(),
            format_args!(
                "a guarded call returns a `Result`, and this one returns nothing: the circuit learns from errors, and a \
                 rejection is one{way_out}"
            ),
        );
    }
}
