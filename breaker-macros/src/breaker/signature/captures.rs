//! The arguments that a body captures.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, FnArg, Pat, PatIdent, ReceiverKind, Signature, Type};

use crate::breaker::parse::args::Args;
use crate::breaker::parse::function::Function;

/// What the body and the attributes of a function do with its arguments.
pub(crate) struct Captures<'f> {
    sig: &'f Signature,
    words: Words,
}

impl<'f> Captures<'f> {
    pub(crate) fn of(function: &'f Function, body: &TokenStream, args: &Args) -> Self {
        Self { sig: &function.sig, words: Words::of(function, body, args) }
    }

    /// Builds statements that mention the arguments that the body uses, in reverse order.
    ///
    /// A `move` block drops its captures in the order in which it mentions them first, and captures single fields of an
    /// argument if only those are mentioned. A function drops its arguments whole and in reverse order, so the statements
    /// restore that.
    ///
    /// A part of a pattern without a name stays with the function and is dropped after everything in the block. The
    /// signature is not changed for this, because other macros and rustdoc read it and the attribute's arguments use its
    /// names.
    ///
    /// An unused argument is not mentioned, so that the compiler still reports it as unused. An argument that only an
    /// attribute uses stays with the function, because its expression may have moved it. For the same reason an argument in
    /// a computed connection is not mentioned as a whole.
    pub(crate) fn mentioned_backwards(&self) -> TokenStream {
        self.sig.inputs.iter().rev().map(|input| mention(input, &self.words)).collect()
    }

    /// Returns the signature with a renamed identifier for each argument that is only held until its drop (`_guard`). With
    /// the user's identifier, clippy would take our mention for a use.
    pub(crate) fn signature(&self) -> Signature {
        let mut sig = self.sig.clone();
        for input in &mut sig.inputs {
            let FnArg::Typed(typed) = input else { continue };
            if let Pat::Ident(PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) = &mut *typed.pat {
                if self.words.only_hold(ident) {
                    *ident = with_own_span(ident);
                }
            }
        }
        sig
    }
}

fn with_own_span(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(Span::mixed_site().located_at(name.span()));
    name
}

fn mention(input: &FnArg, words: &Words) -> TokenStream {
    match input {
        FnArg::Receiver(receiver) => match &receiver.kind {
            ReceiverKind::Reference(..) => TokenStream::new(),
            ReceiverKind::Typed(_, ty) if is_trivial(ty) => TokenStream::new(),
            _ => statement(&receiver.attrs, &Ident::from(receiver.self_token), words),
        },
        FnArg::Typed(typed) if is_trivial(&typed.ty) => TokenStream::new(),
        FnArg::Typed(typed) => {
            let mut names = Vec::new();
            collect(&typed.pat, &mut names);
            names.into_iter().rev().map(|name| statement(&typed.attrs, name, words)).collect()
        }
    }
}

/// The identifiers that may be names of arguments.
#[derive(Default)]
struct Words {
    body: WordSet,
    /// Those of the arguments of our attribute and of the attributes after it, which read the arguments too.
    attributes: WordSet,
    /// Those of a connection or registry that is computed, because it may take an argument or a field of it by value.
    computed: WordSet,
    /// Those of a connection or registry that is an argument or a field of one, which is only borrowed.
    borrowed: WordSet,
}

impl Words {
    fn of(function: &Function, body: &TokenStream, args: &Args) -> Self {
        let mut words = Self::default();
        words.body.read(body.clone());
        for expression in args.clone().expressions_mut() {
            words.attributes.read(expression.to_token_stream());
        }
        for expression in [&args.connection, &args.registry].into_iter().flatten() {
            let set = if is_place(expression) { &mut words.borrowed } else { &mut words.computed };
            set.read(expression.to_token_stream());
        }
        for attribute in function.attrs.iter().filter(|attribute| !attribute.path().is_ident("doc")) {
            words.attributes.read(attribute.to_token_stream());
        }
        words
    }

    /// An argument whose name starts with an underscore is held until its drop, and no lint requires a use.
    fn may_mention(&self, name: &Ident) -> bool {
        let is_used = self.body.contains(name) || self.borrowed.contains(name);
        (is_used && !self.computed.contains(name)) || self.only_hold(name)
    }

    fn only_hold(&self, name: &Ident) -> bool {
        name.unraw().to_string().starts_with('_') && !self.body.contains(name) && !self.attributes.contains(name)
    }
}

/// Whether the expression is a variable or a field of one, which is only borrowed.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Group(group) => is_place(&group.expr),
        Expr::Paren(paren) => is_place(&paren.expr),
        Expr::Reference(reference) => is_place(&reference.expr),
        _ => false,
    }
}

#[derive(Default)]
struct WordSet(HashSet<String>);

impl WordSet {
    fn contains(&self, name: &Ident) -> bool {
        self.0.contains(&name.unraw().to_string())
    }

    fn read(&mut self, tokens: TokenStream) {
        let mut dots = 0;
        for tree in tokens {
            // After a single dot it is the name of a field or method.
            let is_member = dots == 1;
            dots = match &tree {
                TokenTree::Punct(punct) if punct.as_char() == '.' => dots + 1,
                _ => 0,
            };
            match tree {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Ident(ident) if !is_member => {
                    self.0.insert(ident.unraw().to_string());
                }
                // Format strings capture names too.
                TokenTree::Literal(literal) => self.read_captures(&literal.to_string()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn read_captures(&mut self, literal: &str) {
        for capture in literal.split('{').skip(1) {
            let capture = capture.split('}').next().unwrap_or_default();
            let words = capture.split(|character: char| !character.is_alphanumeric() && character != '_');
            self.0.extend(words.map(str::to_owned));
        }
    }
}

/// A `#[cfg]` may remove the argument.
fn statement(attrs: &[Attribute], name: &Ident, words: &Words) -> TokenStream {
    if !words.may_mention(name) || attrs.iter().any(|attr| attr.path().is_ident("cfg_attr")) {
        return TokenStream::new();
    }
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let name = if words.only_hold(name) { &with_own_span(name) } else { name };
    quote!(#(#cfgs)* let _ = &#name;)
}

/// Whether dropping the argument has no effect: a reference or a number.
fn is_trivial(ty: &Type) -> bool {
    const TRIVIAL: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize",
    ];
    match ty {
        Type::Reference(_) | Type::Ptr(_) => true,
        Type::Path(path) => path.path.get_ident().is_some_and(|name| TRIVIAL.iter().any(|known| name == known)),
        Type::Group(group) => is_trivial(&group.elem),
        Type::Paren(paren) => is_trivial(&paren.elem),
        _ => false,
    }
}

/// The names that a pattern binds, in order.
fn collect<'p>(pat: &'p Pat, names: &mut Vec<&'p Ident>) {
    match pat {
        Pat::Ident(ident) => {
            names.push(&ident.ident);
            if let Some((_, inner)) = &ident.subpat {
                collect(inner, names);
            }
        }
        Pat::Paren(paren) => collect(&paren.pat, names),
        Pat::Reference(reference) => collect(&reference.pat, names),
        Pat::Slice(slice) => slice.elems.iter().for_each(|pat| collect(pat, names)),
        Pat::Struct(structure) => structure.fields.iter().for_each(|field| collect(&field.pat, names)),
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|pat| collect(pat, names)),
        Pat::TupleStruct(structure) => structure.elems.iter().for_each(|pat| collect(pat, names)),
        Pat::Type(typed) => collect(&typed.pat, names),
        // The alternatives of an irrefutable pattern bind the same names.
        Pat::Or(alternatives) => alternatives.cases.iter().take(1).for_each(|pat| collect(pat, names)),
        // Other patterns bind nothing, or nothing that is visible here.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_counts_unless_it_names_a_member() {
        let mut words = WordSet::default();
        words.read(
            "self.field.method(argument); 0..end; other ..; { \"{shown:>width$} {{text}} rest\" }".parse().unwrap(),
        );
        let contains = |name: &str| words.contains(&Ident::new(name, Span::call_site()));
        for name in ["argument", "end", "other", "shown", "width"] {
            assert!(contains(name), "{name}");
        }
        for name in ["field", "method", "rest"] {
            assert!(!contains(name), "{name}");
        }
    }
}
