//! Parsing of the annotated function. Its body is never parsed.

use std::iter::Peekable;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{Attribute, LitStr, ReturnType, Signature, Token, Type, Visibility};

#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) sig: Signature,
    pub(crate) body: Body,
}

/// The part after the signature.
#[derive(Clone)]
pub(crate) enum Body {
    /// The braces and everything in them, as written.
    Block(TokenTree),
    Missing(Token![;]),
}

/// Whether a function follows. It consumes tokens of the fork.
pub(crate) fn is_next(ahead: ParseStream<'_>) -> bool {
    let read = || -> syn::Result<bool> {
        ahead.call(Attribute::parse_outer)?;
        let _: Visibility = ahead.parse()?;
        let _: Option<Token![default]> = ahead.parse()?;
        let _: Option<Token![const]> = ahead.parse()?;
        let _: Option<Token![async]> = ahead.parse()?;
        let _: Option<Token![unsafe]> = ahead.parse()?;
        if ahead.parse::<Option<Token![extern]>>()?.is_some() {
            let _: Option<LitStr> = ahead.parse()?;
        }
        Ok(ahead.peek(Token![fn]))
    };
    read().unwrap_or(false)
}

impl Function {
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let defaultness = if input.peek(Token![default]) { Some(input.parse()?) } else { None };
        let sig = input.parse()?;
        let body = if input.peek(Token![;]) { Body::Missing(input.parse()?) } else { Body::Block(input.parse()?) };
        Ok(Self { attrs, vis, defaultness, sig, body })
    }

    /// The return type as written.
    pub(crate) fn returned(&self) -> Option<&Type> {
        match &self.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(ty),
        }
    }
}

impl Body {
    /// The semicolon at the end of a body without a `return`, which therefore has no value.
    pub(crate) fn last_semicolon(&self) -> Option<TokenTree> {
        let Self::Block(block) = self else { return None };
        let body = braces(block)?.stream();
        let last = body.clone().into_iter().last()?;
        let is_semicolon = matches!(&last, TokenTree::Punct(punct) if punct.as_char() == ';');
        (is_semicolon && !returns(body)).then_some(last)
    }

    /// The body without that semicolon.
    pub(crate) fn with_value(&self) -> Self {
        match (self.last_semicolon(), self) {
            (Some(_), Self::Block(block)) => {
                let content = braces(block).map(|braces| braces.stream()).unwrap_or_default();
                let mut trees: Vec<_> = content.into_iter().collect();
                trees.pop();
                Self::Block(self.around(trees.into_iter().collect()))
            }
            _ => self.clone(),
        }
    }
}

fn returns(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => returns(group.stream()),
        TokenTree::Ident(word) => word == "return",
        _ => false,
    })
}

impl ToTokens for Function {
    /// Writes the function as it was.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, defaultness, sig, body } = self;
        tokens.extend(quote!(#(#attrs)* #vis #defaultness #sig #body));
    }
}

impl Body {
    /// Replaces the body. The braces keep the user's span, because the compiler decides by them whether the user wrote
    /// the function, and thus whether to warn if it is unused.
    pub(crate) fn around(&self, content: TokenStream) -> TokenTree {
        let mut group = Group::new(Delimiter::Brace, content);
        if let Self::Block(block) = self {
            group.set_span(braces(block).map_or_else(|| block.span(), |braces| braces.span()));
        }
        group.into()
    }

    /// Takes the inner attributes (`#![..]`) out of the body, because they are only allowed at its very start.
    pub(crate) fn split_inner_attributes(&self) -> (TokenStream, TokenStream) {
        let whole = || (TokenStream::new(), self.to_token_stream());
        let Self::Block(block) = self else { return whole() };
        let Some(braces) = braces(block) else { return whole() };
        let mut rest = braces.stream().into_iter().peekable();
        let mut outer = TokenStream::new();
        while let Some(attribute) = next_inner_attribute(&mut rest) {
            outer.extend(attribute);
        }
        if outer.is_empty() {
            return whole();
        }
        // The braces keep their span, and with it the edition by which temporaries are dropped.
        let mut body = Group::new(Delimiter::Brace, rest.collect());
        body.set_span(braces.span());
        (outer, TokenTree::Group(body).into())
    }
}

/// Converts `#![..]` to `#[..]`.
fn next_inner_attribute(tokens: &mut Peekable<IntoIter>) -> Option<TokenStream> {
    let mut ahead = tokens.clone();
    let (pound, bang, content) = (ahead.next()?, ahead.next()?, ahead.next()?);
    let is = |tree: &TokenTree, char| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == char);
    let is_content = matches!(&content, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
    if !(is(&pound, '#') && is(&bang, '!') && is_content) {
        return None;
    }
    *tokens = ahead;
    Some([pound, content].into_iter().collect())
}

impl ToTokens for Body {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Block(block) => block.to_tokens(tokens),
            Self::Missing(semicolon) => semicolon.to_tokens(tokens),
        }
    }
}

/// Returns the braces, also if a `macro_rules!` macro passed them on.
pub(crate) fn braces(tree: &TokenTree) -> Option<Group> {
    let TokenTree::Group(group) = tree else { return None };
    match group.delimiter() {
        Delimiter::Brace => Some(group.clone()),
        Delimiter::None => {
            let mut inner = group.stream().into_iter();
            match (inner.next(), inner.next()) {
                (Some(only), None) => braces(&only),
                _ => None,
            }
        }
        Delimiter::Parenthesis | Delimiter::Bracket => None,
    }
}
