//! The annotated function. Its body is never parsed.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Attribute, ReturnType, Signature, Token, Type, Visibility};

pub(super) struct Function {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) defaultness: Option<Token![default]>,
    pub(super) sig: Signature,
    pub(super) body: Body,
}

/// What follows the signature.
pub(super) enum Body {
    /// The braces and all that is in them, as the user wrote it.
    Block(TokenTree),
    Missing(Token![;]),
}

impl Function {
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let defaultness = if input.peek(Token![default]) { Some(input.parse()?) } else { None };
        let sig = input.parse()?;
        let body = if input.peek(Token![;]) { Body::Missing(input.parse()?) } else { Body::Block(input.parse()?) };
        Ok(Self { attrs, vis, defaultness, sig, body })
    }

    /// The return type as it is written.
    pub(super) fn returned(&self) -> Option<&Type> {
        match &self.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(ty),
        }
    }
}

impl Body {
    /// Takes the inner attributes (`#![..]`) out of the body, for they can stand nowhere but at its very start.
    pub(super) fn split_inner_attributes(&self) -> (Vec<Attribute>, TokenStream) {
        let block = self.to_token_stream();
        (Vec::new(), block)
    }
}

impl ToTokens for Body {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Block(block) => block.to_tokens(tokens),
            Self::Missing(semicolon) => semicolon.to_tokens(tokens),
        }
    }
}

/// Whether these are braces, perhaps passed on by a `macro_rules!` macro.
pub(super) fn is_block(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Brace => true,
            Delimiter::None => {
                let mut inner = group.stream().into_iter();
                matches!((inner.next(), inner.next()), (Some(only), None) if is_block(&only))
            }
            Delimiter::Parenthesis | Delimiter::Bracket => false,
        },
        _ => false,
    }
}
