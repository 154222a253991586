//! Parsing of the items of an annotated `impl` block. Only methods are parsed; everything else passes through as it was
//! written, unless it may have a method in it: a block must not leave a method out without an error.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Ident};

use super::function::{self, Function};

pub(crate) struct ImplBlock {
    /// Everything before the braces.
    pub(crate) header: TokenStream,
    pub(crate) braces: Group,
    pub(crate) items: Vec<ImplItem>,
}

pub(crate) enum ImplItem {
    Method(Box<Function>),
    /// A call of a macro, which may write methods.
    MacroCall {
        attrs: Vec<Attribute>,
        name: TokenStream,
        call: TokenStream,
    },
    Unparsed(Unparsed),
    Other(TokenStream),
}

/// A method that cannot be parsed.
pub(crate) struct Unparsed {
    pub(crate) attrs: Vec<Attribute>,
    tokens: TokenStream,
    pub(crate) error: syn::Error,
}

impl ToTokens for Unparsed {
    /// Writes the method without our attributes.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let attrs = self.attrs.iter().filter(|attribute| !is_breaker(attribute));
        let method = &self.tokens;
        tokens.extend(quote!(#(#attrs)* #method));
    }
}

impl ImplBlock {
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut header: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
        match header.pop() {
            Some(TokenTree::Group(braces)) if braces.delimiter() == Delimiter::Brace => {
                let items = items.parse2(without_groups_of_items(braces.stream()))?;
                Ok(Self { header: header.into_iter().collect(), braces, items })
            }
            _ => Err(input.error("expected the body of the `impl` block")),
        }
    }
}

pub(crate) fn is_breaker(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "breaker")
}

/// Removes the groups without delimiters in which a `macro_rules!` macro passes items on, such as `$($item)*`. A group
/// that has only a part of an item, such as a visibility, stays.
fn without_groups_of_items(content: TokenStream) -> TokenStream {
    content
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None && ends_an_item(group.stream()) => {
                without_groups_of_items(group.stream())
            }
            other => other.into(),
        })
        .collect()
}

/// Whether the tokens end as an item does: with a semicolon, with braces, or with a group that does.
fn ends_an_item(tokens: TokenStream) -> bool {
    match tokens.into_iter().last() {
        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
        Some(TokenTree::Group(group)) => match group.delimiter() {
            Delimiter::Brace => true,
            Delimiter::None => ends_an_item(group.stream()),
            Delimiter::Parenthesis | Delimiter::Bracket => false,
        },
        _ => false,
    }
}

fn items(input: ParseStream<'_>) -> syn::Result<Vec<ImplItem>> {
    let mut items = Vec::new();
    for attribute in input.call(Attribute::parse_inner)? {
        items.push(ImplItem::Other(attribute.to_token_stream()));
    }
    while !input.is_empty() {
        let ahead = input.fork();
        let item = if function::is_next(&input.fork()) {
            Function::parse(&ahead).map(|method| ImplItem::Method(Box::new(method)))
        } else {
            other(&ahead)
        };
        items.push(match item {
            Ok(item) => {
                input.advance_to(&ahead);
                item
            }
            Err(error) => ImplItem::Unparsed(unparsed(input, error)?),
        });
    }
    Ok(items)
}

/// Parses up to a semicolon or to braces, so that the other methods of the block are guarded all the same.
fn unparsed(input: ParseStream<'_>, error: syn::Error) -> syn::Result<Unparsed> {
    let attrs = input.call(Attribute::parse_outer)?;
    let mut tokens = TokenStream::new();
    while !input.is_empty() {
        let tree: TokenTree = input.parse()?;
        let tree = TokenStream::from(tree);
        tokens.extend(tree.clone());
        if ends_an_item(tree) {
            return Ok(Unparsed { attrs, tokens, error });
        }
    }
    Err(error)
}

/// Parses a constant, a type or a macro, up to its semicolon or to the braces of a macro.
fn other(input: ParseStream<'_>) -> syn::Result<ImplItem> {
    let attrs = input.call(Attribute::parse_outer)?;
    let start = input.fork();
    let mut item = Vec::new();
    let mut name = None;
    while !input.is_empty() {
        let tree: TokenTree = input.parse()?;
        let ends = match &tree {
            TokenTree::Punct(punct) => {
                // In a constant, a macro follows the `=`.
                if punct.as_char() == '!' && name.is_none() && item.iter().all(is_of_path) {
                    name = Some(item.iter().cloned().collect());
                }
                punct.as_char() == ';'
            }
            TokenTree::Group(group) => name.is_some() && group.delimiter() == Delimiter::Brace,
            TokenTree::Ident(keyword) if keyword == "fn" && is_name_next(input) => {
                return Err(syn::Error::new(
                    keyword.span(),
                    "`#[breaker]` cannot read the start of this method, so it would not guard it: move the method to a \
                     block without the attribute",
                ));
            }
            _ => false,
        };
        item.push(tree);
        if ends {
            break;
        }
    }
    if item.is_empty() {
        return Err(start.error("expected an item after the attributes"));
    }
    let tokens = item.into_iter().collect();
    Ok(match name {
        Some(name) => ImplItem::MacroCall { attrs, name, call: tokens },
        None => ImplItem::Other(quote!(#(#attrs)* #tokens)),
    })
}

/// Whether the token may be a part of the path of a macro.
fn is_of_path(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        TokenTree::Group(group) => {
            group.delimiter() == Delimiter::None && group.stream().into_iter().all(|tree| is_of_path(&tree))
        }
        TokenTree::Literal(_) => false,
    }
}

/// Whether a name follows, as after the `fn` of a method, and not the parentheses of a function pointer.
fn is_name_next(input: ParseStream<'_>) -> bool {
    input.peek(Ident::peek_any)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(block: &str) -> syn::Result<Vec<&'static str>> {
        let items = ImplBlock::parse.parse_str(block)?.items;
        Ok(items
            .iter()
            .map(|item| match item {
                ImplItem::Method(_) => "method",
                ImplItem::MacroCall { .. } => "macro",
                ImplItem::Unparsed(_) => "unparsed",
                ImplItem::Other(_) => "other",
            })
            .collect())
    }

    #[test]
    fn items_end_where_the_next_one_begins() {
        let block = "impl Shop { const A: u8 = { 1 }; type B = fn(u8) -> u8; const C: u8 = a!(); b! {} c::d!(); \
                     #[cold] pub(crate) async unsafe extern \"C\" fn e(&self) {} }";
        assert_eq!(kinds(block).unwrap(), ["other", "other", "other", "macro", "macro", "method"]);
    }

    #[test]
    fn a_method_that_cannot_be_read_hides_no_other() {
        for method in [
            "gen async fn next(&self) {}",
            "final fn next(&self) {}",
            "pub safe fn next(&self);",
            "fn next(&self, shop) {}",
            "fn next(&self) -> {}",
        ] {
            let block = format!("impl Shop {{ const A: u8 = 1; #[cold] {method} #[cold] fn after(&self) {{}} }}");
            assert_eq!(kinds(&block).unwrap(), ["other", "unparsed", "method"], "{method}");
        }
        assert!(kinds("impl Shop { #[cold] }").is_err());
    }
}
