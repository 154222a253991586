//! Parsing of the annotated item: a function or an `impl` block.

use proc_macro2::TokenStream;
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
