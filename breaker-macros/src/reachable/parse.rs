//! The type and its marks, as written.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Generics, Ident, Index, Lit, LitStr, Member, Type};

use super::attribute::{self, Kind, Mark, Said};
use super::keys::Place;
use super::status_argument::literal;
use super::types::{Mentions, mentions};
use crate::diagnostics::Diagnostics;

pub(super) struct Input<'a> {
    pub(super) ident: &'a Ident,
    pub(super) is_deprecated: bool,
    pub(super) generics: &'a Generics,
    pub(super) is_enum: bool,
    /// What is said of the type as a whole.
    pub(super) said: Said,
    /// The variants, or the struct itself.
    pub(super) variants: Vec<Variant<'a>>,
}

pub(super) struct Variant<'a> {
    /// The name of the variant, or of the struct.
    pub(super) ident: &'a Ident,
    pub(super) said: Said,
    pub(super) text: Option<LitStr>,
    pub(super) fields: Vec<Field<'a>>,
}

pub(super) struct Field<'a> {
    pub(super) member: Member,
    pub(super) ty: &'a Type,
    pub(super) mentions: Mentions,
    /// `#[reachable(status)]`.
    pub(super) status: Option<Mark>,
}

impl Input<'_> {
    /// Whether the whole type is marked `never`.
    pub(super) fn proves_nothing(&self) -> bool {
        let of_struct = self.variants.iter().filter(|_| !self.is_enum).find_map(|itself| itself.said.mark.as_ref());
        let mark = self.said.mark.as_ref().or(of_struct);
        mark.is_some_and(|mark| matches!(mark.kind, Kind::Never))
    }

    /// The path of the crate that the expansion names.
    pub(super) fn krate(&self) -> TokenStream {
        self.said.krate.as_ref().map_or_else(|| quote!(::breaker_core), ToTokens::to_token_stream)
    }
}

/// Reads the type.
pub(super) fn parse<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> Input<'a> {
    let (is_enum, said, variants) = match &input.data {
        Data::Union(data) => {
            diagnostics.error_with_help(
                data.union_token,
                "a union cannot prove anything: nobody knows which of its fields is alive",
                "make the error an enum",
            );
            // Nothing of it can be read, so it proves nothing.
            (false, Said::default(), Vec::new())
        }
        Data::Enum(data) => {
            let said = attribute::read(&input.attrs, Place::Enum, diagnostics);
            let default_text = text(&input.attrs);
            let variants = data.variants.iter().map(|variant| Variant {
                ident: &variant.ident,
                said: attribute::read(&variant.attrs, Place::Variant, diagnostics),
                text: text(&variant.attrs).or_else(|| default_text.clone()),
                fields: fields(&variant.fields, input, diagnostics),
            });
            (true, said, variants.collect())
        }
        Data::Struct(data) => {
            let mut said = attribute::read(&input.attrs, Place::Struct, diagnostics);
            let own = Said { mark: said.mark.take(), because: said.because.take(), krate: None };
            let itself = Variant {
                ident: &input.ident,
                said: own,
                text: text(&input.attrs),
                fields: fields(&data.fields, input, diagnostics),
            };
            (false, said, vec![itself])
        }
    };
    let is_deprecated = input.attrs.iter().any(|attribute| attribute.path().is_ident("deprecated"));
    Input { ident: &input.ident, is_deprecated, generics: &input.generics, is_enum, said, variants }
}

fn fields<'a>(fields: &'a Fields, owner: &DeriveInput, diagnostics: &mut Diagnostics) -> Vec<Field<'a>> {
    let read = fields.iter().enumerate().map(|(position, field)| Field {
        member: field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(position)), Member::Named),
        ty: &field.ty,
        mentions: mentions(&field.ty, &owner.ident, &owner.generics),
        status: attribute::read(&field.attrs, Place::Field, diagnostics).mark,
    });
    read.collect()
}

/// The text of thiserror's `#[error("...")]`, if there is one.
fn text(attributes: &[Attribute]) -> Option<LitStr> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("error"))?;
    let first = |input: syn::parse::ParseStream<'_>| {
        let first: Expr = input.parse()?;
        let _: TokenStream = input.parse()?;
        Ok(first)
    };
    match literal(&attribute.parse_args_with(first).ok()?) {
        Some(Lit::Str(text)) => Some(text.clone()),
        _ => None,
    }
}
