//! Parsing of the annotated item: a function or an `impl` block.

use std::mem;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Ident, Token, Visibility};

use super::function::{self, Function};
use super::impl_items::ImplBlock;

pub(crate) enum Item {
    Function(Box<Function>),
    ImplBlock(ImplBlock),
    /// Any other item, with the error to report.
    Other(syn::Error),
}

impl Item {
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if function::is_next(&input.fork()) {
            return Ok(Self::Function(Box::new(Function::parse(input)?)));
        }
        if is_block(&input.fork()).unwrap_or(false) {
            return Ok(Self::ImplBlock(ImplBlock::parse(input)?));
        }
        let error = something_else(&input.fork());
        input.parse::<TokenStream>()?;
        Ok(Self::Other(error))
    }
}

fn is_block(ahead: ParseStream<'_>) -> syn::Result<bool> {
    ahead.call(Attribute::parse_outer)?;
    let _: Option<Token![default]> = ahead.parse()?;
    let _: Option<Token![unsafe]> = ahead.parse()?;
    Ok(ahead.peek(Token![impl]))
}

fn something_else(ahead: ParseStream<'_>) -> syn::Error {
    let keyword = || -> syn::Result<Ident> {
        ahead.call(Attribute::parse_outer)?;
        let _: Visibility = ahead.parse()?;
        ahead.call(Ident::parse_any)
    };
    match keyword() {
        Ok(keyword) if keyword == "trait" => syn::Error::new(
            keyword.span(),
            "`#[breaker]` cannot be on a `trait`: write it on the default methods or on the `impl` block",
        ),
        Ok(keyword) => {
            let message = format!("`#[breaker]` cannot be on `{keyword}`: write it on a function or an `impl` block");
            syn::Error::new(keyword.span(), message)
        }
        Err(error) => syn::Error::new(error.span(), "`#[breaker]` must be on a function or an `impl` block"),
    }
}

/// Whether the compiler itself has reported a parameter without a type, as in `fn stock(shop)`. It reports that before it
/// calls the attribute, so an error of ours would be a second one.
pub(crate) fn has_untyped_parameter(item: &TokenStream) -> bool {
    let (mut after_fn, mut is_signature) = (false, false);
    item.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => {
            // A function pointer has no name after its `fn`.
            is_signature |= mem::replace(&mut after_fn, ident == "fn");
            false
        }
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Parenthesis => {
                after_fn = false;
                mem::take(&mut is_signature) && parameters(group.stream()).any(|is_typed| !is_typed)
            }
            Delimiter::Brace | Delimiter::None => has_untyped_parameter(&group.stream()),
            Delimiter::Bracket => false,
        },
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns for each parameter of a function whether it is a receiver or has a type.
fn parameters(list: TokenStream) -> impl Iterator<Item = bool> {
    let mut parameters = vec![None];
    let (mut depth, mut after_dash) = (0_usize, false);
    for tree in list {
        let punct = if let TokenTree::Punct(punct) = &tree { Some(punct.as_char()) } else { None };
        match punct {
            Some('<') => depth += 1,
            Some('>') if !after_dash => depth = depth.saturating_sub(1),
            _ => {}
        }
        after_dash = punct == Some('-');
        if punct == Some(',') && depth == 0 {
            parameters.push(None);
        } else if let Some(parameter) = parameters.last_mut() {
            let is_typed = punct == Some(':') || matches!(&tree, TokenTree::Ident(ident) if ident == "self");
            *parameter = Some(parameter.unwrap_or(false) || is_typed);
        }
    }
    parameters.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_without_a_type_is_recognised() {
        let is_recognised = |item: &str| has_untyped_parameter(&item.parse().unwrap());
        for item in
            ["fn f(x) {}", "async fn f(&self, x: u8, shop) {}", "impl A { const B: u8 = 1; fn f(&self, (a, b)) {} }"]
        {
            assert!(is_recognised(item), "{item}");
        }
        for item in [
            "fn f() {}",
            "fn f(self) {}",
            "fn f(&mut self, a: HashMap<u8, fn(u8) -> u8>, (b, c): (u8, u8),) {}",
            "fn f(self: Arc<Self>, a: impl Fn(u8, u8) -> Option<u8>) { g(a, b) }",
            "impl A { fn f(&self) { g(x) } }",
            "impl A { const B: fn(u8) -> u8 = g; }",
        ] {
            assert!(!is_recognised(item), "{item}");
        }
    }
}
