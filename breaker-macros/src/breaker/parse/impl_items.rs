//! Parsing of the items of an annotated `impl` block. Only methods are parsed; everything else passes through as it was
//! written.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Attribute;
use syn::parse::{ParseStream, Parser as _};

use super::function::{self, Function};

pub(crate) struct ImplBlock {
    /// Everything before the braces.
    pub(crate) header: TokenStream,
    pub(crate) braces: Group,
    pub(crate) items: Vec<ImplItem>,
}

pub(crate) enum ImplItem {
    Method(Box<Function>),
    Other(TokenStream),
}

impl ImplBlock {
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut header: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
        match header.pop() {
            Some(TokenTree::Group(braces)) if braces.delimiter() == Delimiter::Brace => {
                let items = items.parse2(braces.stream())?;
                Ok(Self { header: header.into_iter().collect(), braces, items })
            }
            _ => Err(input.error("expected the body of the `impl` block")),
        }
    }
}

pub(crate) fn is_breaker(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "breaker")
}

fn items(input: ParseStream<'_>) -> syn::Result<Vec<ImplItem>> {
    let mut items = Vec::new();
    for attribute in input.call(Attribute::parse_inner)? {
        items.push(ImplItem::Other(attribute.to_token_stream()));
    }
    while !input.is_empty() {
        if function::is_next(&input.fork()) {
            items.push(ImplItem::Method(Box::new(Function::parse(input)?)));
        } else {
            items.push(ImplItem::Other(other(input)?));
        }
    }
    Ok(items)
}

/// Parses a constant, a type or a macro, up to its semicolon or to the braces of a macro.
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
