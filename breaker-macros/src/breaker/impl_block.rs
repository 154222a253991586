//! Guarding of an annotated `impl` block.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Attribute, Ident};

use super::parse::args::Args;
use super::parse::function::{Body, Function};
use super::parse::half_written::{self, Recovery};
use super::parse::impl_items::{ImplBlock, ImplItem, is_breaker};
use super::signature::return_shape::Shape;
use super::{cfg_attr, expand, validate};
use crate::diagnostics::Diagnostics;

/// Returns the block with its methods guarded.
pub(crate) fn guarded(block: ImplBlock, args: &Args, diagnostics: &mut Diagnostics) -> TokenStream {
    // A method that is reported would be guarded without its mistake.
    let mut seen = Seen { guarded: block.items.iter().any(is_reported), without_connection: false };
    let output = with_methods(block, |method, errors| guarded_version(method, args, &mut seen, errors));
    if seen.without_connection {
        diagnostics.push(syn::Error::new(Span::call_site(), validate::NO_CONNECTION));
    } else if !seen.guarded {
        diagnostics.push(syn::Error::new(Span::call_site(), validate::NOTHING_TO_GUARD));
    }
    output
}

/// Returns the block as it was written, without our attributes on its methods.
pub(crate) fn unguarded(block: ImplBlock) -> TokenStream {
    with_methods(block, |mut method, _| {
        method.attrs.retain(|attribute| !is_breaker(attribute));
        method.into_token_stream()
    })
}

fn with_methods(block: ImplBlock, mut write: impl FnMut(Function, &mut Diagnostics) -> TokenStream) -> TokenStream {
    let mut errors = TokenStream::new();
    let mut content = TokenStream::new();
    for item in block.items {
        match item {
            ImplItem::Other(tokens) => content.extend(tokens),
            ImplItem::MacroCall { attrs, name, call } => {
                let (own, rest): (Vec<_>, Vec<_>) = attrs.into_iter().partition(is_breaker);
                if !own.iter().any(is_skip) {
                    let error = unread_macro(&name).into_compile_error();
                    errors.extend(cfg_attr::under(&cfg_attr::conditions(&rest), error));
                }
                content.extend(quote!(#(#rest)* #call));
            }
            ImplItem::Unparsed(method) => {
                let tokens = method.to_token_stream();
                match half_written::recovery_of(&tokens) {
                    Recovery::None => {
                        let conditions = cfg_attr::conditions(&method.attrs);
                        errors.extend(cfg_attr::under(&conditions, method.error.to_compile_error()));
                        content.extend(tokens);
                    }
                    Recovery::Reported => content.extend(tokens),
                    Recovery::LeftOut => {}
                }
            }
            ImplItem::Method(method) => {
                for version in cfg_attr::versions(*method) {
                    let mut diagnostics = Diagnostics::default();
                    let conditions = cfg_attr::conditions(&version.attrs);
                    content.extend(write(version, &mut diagnostics));
                    errors.extend(cfg_attr::under(&conditions, diagnostics.into_compile_errors()));
                }
            }
        }
    }
    let header = block.header;
    let mut braces = Group::new(Delimiter::Brace, content);
    braces.set_span(block.braces.span());
    quote!(#errors #header #braces)
}

fn is_reported(item: &ImplItem) -> bool {
    match item {
        ImplItem::Unparsed(_) => true,
        ImplItem::MacroCall { attrs, .. } => !attrs.iter().any(is_skip),
        ImplItem::Method(_) | ImplItem::Other(_) => false,
    }
}

fn is_skip(attribute: &Attribute) -> bool {
    is_breaker(attribute) && attribute.parse_args::<Ident>().is_ok_and(|argument| argument == "skip")
}

/// The error about a macro whose methods would not be guarded.
fn unread_macro(name: &TokenStream) -> syn::Error {
    let message = format!(
        "`#[breaker]` cannot read what `{name}!` writes, so it would not guard its methods: move the call to a block \
         without the attribute and let the macro write `#[breaker(..)]` on its methods, or, if it writes none that make \
         calls, add `#[breaker(skip)]`"
    );
    syn::Error::new_spanned(name, message)
}

/// What the methods of a block need from it.
struct Seen {
    /// A method is guarded, or would be without a mistake in it.
    guarded: bool,
    /// A method would be guarded, but neither it nor the block has a connection.
    without_connection: bool,
}

fn guarded_version(mut method: Function, block: &Args, seen: &mut Seen, diagnostics: &mut Diagnostics) -> TokenStream {
    let (own, rest): (Vec<_>, Vec<_>) = method.attrs.into_iter().partition(is_breaker);
    method.attrs = rest;
    let mut own = own.into_iter();
    let args = match own.next() {
        Some(attribute) => Some(Args::parse(tokens_of(&attribute, diagnostics), diagnostics)),
        None if is_guarded_unasked(&method, block) => Some(Args::default()),
        None => None,
    };
    if let Some(second) = own.next() {
        diagnostics.error(second, "this method has two `#[breaker(..)]` attributes: merge their arguments into one");
    }
    let Some(args) = args else { return method.to_token_stream() };
    if let Some(skip) = &args.skip {
        if args.is_more_than_skip() {
            diagnostics.error(skip, "`skip` leaves this method out, so other arguments have no effect: remove `skip` or the other arguments");
            // One of the two arguments is a mistake, but the block itself is right.
            seen.guarded = true;
        }
        return method.to_token_stream();
    }
    seen.guarded = true;
    if matches!(method.body, Body::Missing(_)) {
        // The compiler reports it.
        return method.to_token_stream();
    }
    let args = args.or(block);
    validate::method(&method, &args, diagnostics);
    if !diagnostics.is_empty() {
        return validate::unguarded(&method);
    }
    if args.connection.is_none() {
        seen.without_connection = true;
        return method.to_token_stream();
    }
    expand::function(&method, &args)
}

fn is_guarded_unasked(method: &Function, block: &Args) -> bool {
    method.sig.receiver().is_some() && Shape::looks_like_a_call(method, block.blocking.is_some())
}

fn tokens_of(attribute: &Attribute, diagnostics: &mut Diagnostics) -> TokenStream {
    match &attribute.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(_) => {
            diagnostics.error(attribute, "write the arguments in parentheses, for example `#[breaker(skip)]`");
            TokenStream::new()
        }
    }
}
