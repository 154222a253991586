//! Validation of the annotated item and of the arguments.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Type, TypeParamBound};

use super::parse::arg_values::Settles;
use super::parse::args::Args;
use super::parse::function::{Body, Function, braces};
use super::signature::return_shape::Shape;
use crate::diagnostics::Diagnostics;

/// Validates a function with an attribute of its own.
pub(crate) fn function(function: &Function, args: &Args, diagnostics: &mut Diagnostics) {
    if let Some(skip) = &args.skip {
        diagnostics.error(skip, "`skip` leaves a method out of an annotated `impl` block, but this function is not in one: remove `#[breaker(skip)]`");
        return;
    }
    if let Some(blocking) = &args.blocking {
        diagnostics.error(
            blocking,
            "`blocking` is for an `impl` block: remove it, because an annotated `fn` is guarded anyway",
        );
    }
    // After another mistake in the arguments, the connection may be the one that is misspelled.
    if args.connection.is_none() && diagnostics.is_empty() {
        diagnostics.push(syn::Error::new(Span::call_site(), NO_CONNECTION));
    }
    guardable(function, args, "", diagnostics);
}

/// Validates a method of an annotated block.
pub(crate) fn method(method: &Function, args: &Args, diagnostics: &mut Diagnostics) {
    if let Some(blocking) = &args.blocking {
        diagnostics.error(blocking, "`blocking` is an argument of the `impl` block: move it there");
    }
    guardable(method, args, "; to leave it out, write `#[breaker(skip)]` on it", diagnostics);
}

/// Validates the arguments of a block.
pub(crate) fn block(args: &Args, diagnostics: &mut Diagnostics) {
    if let Some(skip) = &args.skip {
        diagnostics.error(skip, "`skip` leaves out a single method: write `#[breaker(skip)]` on that method");
    }
    if let Some(Settles { name }) = &args.settles {
        diagnostics.error(
            name,
            format_args!(
                "`settles` is for a method that returns a stream: write `#[breaker(settles = {name})]` on that method"
            ),
        );
    }
}

pub(crate) const NO_CONNECTION: &str = "missing `connection`: write `#[breaker(connection = ..)]` with the connection of this call, for example `self.connection`";

pub(crate) const NOTHING_TO_GUARD: &str = "this `impl` block has no method to guard: only an `async fn` with a receiver, or a method that returns an `impl` or \
     boxed future or stream, is guarded; to guard plain methods that return a `Result`, add `blocking`, or write \
     `#[breaker]` on a method";

/// Traits of `std` that futures and streams do not implement. For other traits the compiler reports the type, and then
/// a second error about the guard.
const NO_FUTURES: &[&str] =
    &["Iterator", "DoubleEndedIterator", "ExactSizeIterator", "Fn", "FnMut", "FnOnce", "Display", "Read", "Write"];

/// The semicolon after the value of a function that returns an `impl Trait`. The compiler would report the type of the
/// guarded future, too.
fn lost_value(function: &Function) -> Option<TokenTree> {
    match Shape::of(function) {
        Shape::OpaqueFuture | Shape::OpaqueStream => function.body.last_semicolon(),
        _ => None,
    }
}

/// The function without a guard, after a mistake that was reported. It is as it was written, but for a semicolon that the
/// compiler would report as well.
pub(crate) fn unguarded(function: &Function) -> TokenStream {
    match lost_value(function) {
        Some(_) => Function { body: function.body.with_value(), ..function.clone() }.into_token_stream(),
        None => function.to_token_stream(),
    }
}

fn guardable(function: &Function, args: &Args, way_out: &str, diagnostics: &mut Diagnostics) {
    let sig = &function.sig;
    let is_future = matches!(Shape::of(function), Shape::Async | Shape::OpaqueFuture | Shape::BoxedFuture);
    if let (Some(timeout), false) = (&args.timeout, is_future) {
        diagnostics.error(
            &timeout.literal,
            format_args!(
                "`timeout` drops a future, but `{}` does not return one: limit the time in its body",
                sig.ident
            ),
        );
    }
    if let Some(constness) = sig.constness {
        diagnostics
            .error(constness, format_args!("a `const fn` cannot make an outbound call: remove `#[breaker]`{way_out}"));
    }
    match &function.body {
        Body::Block(block) if braces(block).is_some() => {}
        Body::Block(other) => diagnostics.error(other, "expected a function body"),
        Body::Missing(_) => diagnostics.error(
            &sig.ident,
            "this method has no body to guard: write `#[breaker]` on its implementation or on a default method",
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
                "this is neither a future nor a stream, so it cannot be guarded: collect it and return a \
                 `Result`{way_out}"
            );
            diagnostics.error(opaque, message);
        }
    }
    if let Some(semicolon) = lost_value(function) {
        diagnostics.error(
            semicolon,
            "this semicolon drops the future or stream, so the function returns nothing: remove the semicolon",
        );
    }
    if function.returned().is_none() {
        diagnostics.error(
            sig.ident.to_token_stream(),
            format_args!(
                "a guarded function must return a `Result`, because failures and rejections are errors, but this one \
                 returns nothing{way_out}"
            ),
        );
    }
}
