//! The annotated `impl` block. Only its methods are looked at; everything else passes through as it was written.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::Attribute;
use syn::parse::{ParseStream, Parser as _};

use super::args::Args;
use super::function::{self, Function};
use super::shape::Shape;
use super::{conditional, expand, validate};
use crate::diagnostics::Diagnostics;

pub(super) struct Block {
    /// All that stands before the braces.
    header: TokenStream,
    braces: Group,
    items: Vec<Item>,
}

enum Item {
    Method(Box<Function>),
    Other(TokenStream),
}

impl Block {
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut header: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
        match header.pop() {
            Some(TokenTree::Group(braces)) if braces.delimiter() == Delimiter::Brace => {
                let items = items.parse2(braces.stream())?;
                Ok(Self { header: header.into_iter().collect(), braces, items })
            }
            _ => Err(input.error("expected the body of the `impl` block")),
        }
    }

    /// The block with its methods guarded.
    pub(super) fn guarded(self, args: &Args, diagnostics: &mut Diagnostics) -> TokenStream {
        let mut seen = Seen::default();
        let output = self.with_methods(|method, errors| guarded_version(method, args, &mut seen, errors));
        if seen.without_connection {
            diagnostics.push(syn::Error::new(Span::call_site(), validate::NO_CONNECTION));
        } else if !seen.guarded {
            diagnostics.push(syn::Error::new(Span::call_site(), validate::NOTHING_TO_GUARD));
        }
        output
    }

    /// The block as it was written, but for our attributes on its methods.
    pub(super) fn unguarded(self) -> TokenStream {
        self.with_methods(|mut method, _| {
            method.attrs.retain(|attribute| !is_breaker(attribute));
            method.into_token_stream()
        })
    }

    fn with_methods(self, mut write: impl FnMut(Function, &mut Diagnostics) -> TokenStream) -> TokenStream {
        let mut errors = TokenStream::new();
        let mut content = TokenStream::new();
        for item in self.items {
            match item {
                Item::Other(tokens) => content.extend(tokens),
                Item::Method(method) => {
                    for version in conditional::versions(*method) {
                        let mut diagnostics = Diagnostics::default();
                        let conditions = conditional::conditions(&version);
                        content.extend(write(version, &mut diagnostics));
                        errors.extend(conditional::under(&conditions, diagnostics.into_compile_errors()));
                    }
                }
            }
        }
        let header = self.header;
        let mut braces = Group::new(Delimiter::Brace, content);
        braces.set_span(self.braces.span());
        quote!(#errors #header #braces)
    }
}

/// What was seen of the methods of a block.
#[derive(Default)]
struct Seen {
    /// One is guarded, or would be but for a mistake in it.
    guarded: bool,
    /// One would be guarded, and neither it nor the block says whose circuit it is.
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
        diagnostics.error(second, "one `#[breaker(..)]` is enough for a method");
    }
    let Some(args) = args else { return method.to_token_stream() };
    if let Some(skip) = &args.skip {
        if args.is_more_than_skip() {
            diagnostics.error(skip, "a method that is left out needs no other argument");
            // One of the two is meant; either way it is not the block that is wrong.
            seen.guarded = true;
        }
        return method.to_token_stream();
    }
    seen.guarded = true;
    let args = args.or(block);
    validate::method(&method, &args, diagnostics);
    if !diagnostics.is_empty() {
        return method.to_token_stream();
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

pub(super) fn is_breaker(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "breaker")
}

fn tokens_of(attribute: &Attribute, diagnostics: &mut Diagnostics) -> TokenStream {
    match &attribute.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(_) => {
            diagnostics.error(attribute, "write the arguments in parentheses: `#[breaker(skip)]`");
            TokenStream::new()
        }
    }
}

fn items(input: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let mut items = Vec::new();
    for attribute in input.call(Attribute::parse_inner)? {
        items.push(Item::Other(attribute.to_token_stream()));
    }
    while !input.is_empty() {
        if function::comes(&input.fork()) {
            items.push(Item::Method(Box::new(Function::parse(input)?)));
        } else {
            items.push(Item::Other(other(input)?));
        }
    }
    Ok(items)
}

/// A constant, a type or a macro: up to its semicolon, or to the braces of a macro.
fn other(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut item: TokenStream =
        input.call(Attribute::parse_outer)?.iter().map(quote::ToTokens::to_token_stream).collect();
    let mut is_macro = false;
    while !input.is_empty() {
        let tree: TokenTree = input.parse()?;
        let ends = match &tree {
            TokenTree::Punct(punct) => {
                is_macro |= punct.as_char() == '!';
                punct.as_char() == ';'
            }
            TokenTree::Group(group) => is_macro && group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        item.extend([tree]);
        if ends {
            break;
        }
    }
    Ok(item)
}
