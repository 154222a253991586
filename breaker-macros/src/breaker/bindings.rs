//! The names that a function's arguments bind.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, FnArg, Pat, PatIdent, ReceiverKind, Signature, Type, parse_quote};

/// Statements that mention the arguments which the body uses, the last one first.
///
/// A `move` block drops what it captured in the order in which it mentions it first, and takes single fields of an
/// argument of which only those are mentioned. A function drops its arguments whole, and the last one first.
///
/// An argument that is not used is not mentioned either, so that the compiler still says so.
pub(super) fn mention_backwards(sig: &Signature, body: &TokenStream) -> TokenStream {
    let words = Words::of(body);
    sig.inputs.iter().rev().map(|input| mention(input, &words)).collect()
}

/// A signature whose arguments are bound inside the body.
pub(super) struct Rebound {
    pub(super) sig: Signature,
    /// The statements that bind them.
    pub(super) bindings: TokenStream,
}

/// A part of an argument that its pattern binds to no name cannot be mentioned, and would be dropped too late. So such
/// an argument gets a name, and its pattern goes inside; and so do the arguments after it, which are dropped before it.
/// A mere `_` has nothing to bind and only gets a name.
///
/// An argument that is held for its drop alone (`_guard`) gets its own name anew, for clippy would take our mention of it
/// for a use.
pub(super) fn rebind(sig: &Signature, body: &TokenStream) -> Rebound {
    let words = Words::of(body);
    let mut sig = sig.clone();
    let mut bindings = TokenStream::new();
    let mut inside = false;
    for (position, input) in sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(typed) = input else { continue };
        let held = held(&typed.pat, &words);
        if !is_trivial(&typed.ty) {
            inside |= held.is_none() && leaves_out(&typed.pat, &words);
        } else if !inside {
            continue;
        }
        if !inside && held.is_none() {
            continue;
        }
        let name = match held {
            Some(Held::Named(name)) => Ident::new(&name.to_string(), Span::mixed_site().located_at(name.span())),
            Some(Held::Wild) | None => format_ident!("__breaker_argument_{position}", span = Span::mixed_site()),
        };
        let cfgs = typed.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        let pat = if held.is_some() { parse_quote!(#name) } else { (*typed.pat).clone() };
        if inside {
            bindings.extend(quote_spanned!(Span::mixed_site()=> #(#cfgs)* let #pat = #name;));
        }
        *typed.pat = parse_quote!(#name);
    }
    Rebound { sig, bindings }
}

/// An argument that is there for its drop alone.
#[derive(Clone, Copy)]
enum Held<'p> {
    Wild,
    Named(&'p Ident),
}

fn held<'p>(pat: &'p Pat, words: &Words) -> Option<Held<'p>> {
    match pat {
        Pat::Wild(_) => Some(Held::Wild),
        Pat::Ident(PatIdent { by_ref: None, mutability: None, ident, subpat: None, .. }) if words.only_hold(ident) => {
            Some(Held::Named(ident))
        }
        _ => None,
    }
}

/// Whether a pattern binds less than the whole to names that can be mentioned.
fn leaves_out(pat: &Pat, words: &Words) -> bool {
    match pat {
        Pat::Ident(ident) => {
            ident.by_ref.is_some()
                || words.only_hold(&ident.ident)
                || ident.subpat.as_ref().is_some_and(|(_, inner)| leaves_out(inner, words))
        }
        Pat::Paren(paren) => leaves_out(&paren.pat, words),
        Pat::Slice(slice) => slice.elems.iter().any(|pat| leaves_out(pat, words)),
        Pat::Struct(structure) => {
            structure.rest.is_some() || structure.fields.iter().any(|field| leaves_out(&field.pat, words))
        }
        Pat::Tuple(tuple) => tuple.elems.iter().any(|pat| leaves_out(pat, words)),
        Pat::TupleStruct(structure) => structure.elems.iter().any(|pat| leaves_out(pat, words)),
        Pat::Type(typed) => leaves_out(&typed.pat, words),
        _ => true,
    }
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

/// The words of a body, as far as they may be names of arguments.
#[derive(Default)]
struct Words {
    idents: HashSet<String>,
    /// Format strings capture names, too.
    formats: Vec<String>,
}

impl Words {
    fn of(body: &TokenStream) -> Self {
        let mut words = Self::default();
        words.read(body.clone());
        words
    }

    /// Whether an argument of this name is there for its drop alone.
    fn only_hold(&self, name: &Ident) -> bool {
        let name = name.unraw().to_string();
        name.starts_with('_') && !self.mentions(&name)
    }

    fn mentions(&self, name: &str) -> bool {
        self.idents.contains(name) || self.formats.iter().any(|format| format.contains(name))
    }

    fn read(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Ident(ident) => {
                    self.idents.insert(ident.unraw().to_string());
                }
                TokenTree::Literal(literal) => {
                    let literal = literal.to_string();
                    if literal.contains('{') {
                        self.formats.push(literal);
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    /// A name that begins with an underscore is held for its drop alone, and no lint asks for a use.
    fn may_use(&self, name: &Ident) -> bool {
        let name = name.unraw().to_string();
        name.starts_with('_') || self.mentions(&name)
    }
}

/// The argument may not be there at all, by a `#[cfg]`.
fn statement(attrs: &[Attribute], name: &Ident, words: &Words) -> TokenStream {
    if !words.may_use(name) || attrs.iter().any(|attr| attr.path().is_ident("cfg_attr")) {
        return TokenStream::new();
    }
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote!(#(#cfgs)* let _ = &#name;)
}

/// Whether dropping it does nothing: a reference, a number.
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
        // The rest binds nothing, or nothing that can be seen from here.
        _ => {}
    }
}
