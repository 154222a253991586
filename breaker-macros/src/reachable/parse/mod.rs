//! Parsing of the type and its marks.

pub(crate) mod attr;
mod attr_arguments;
mod attr_keys;
pub(crate) mod question;
pub(crate) mod status;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Generics, Ident, Index, Lit, LitStr, Member, Type};

use attr::{Attrs, Kind, VariantMark};
use attr_keys::AttrPlace;
use question::Question;
use status::literal;

use crate::diagnostics::Diagnostics;
use crate::syntax::types::{Mentions, mentions};

pub(crate) struct Input<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) is_deprecated: bool,
    pub(crate) generics: &'a Generics,
    pub(crate) is_enum: bool,
    /// The attributes of the type as a whole.
    pub(crate) attrs: Attrs,
    /// The variants, or the struct itself.
    pub(crate) variants: Vec<Variant<'a>>,
}

pub(crate) struct Variant<'a> {
    /// The name of the variant or of the struct.
    pub(crate) ident: &'a Ident,
    pub(crate) attrs: Attrs,
    pub(crate) text: Option<LitStr>,
    pub(crate) fields: Vec<Field<'a>>,
}

pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    pub(crate) ty: &'a Type,
    pub(crate) mentions: Mentions,
    pub(crate) question: Question,
    /// `#[reachable(status)]`.
    pub(crate) status: Option<VariantMark>,
}

impl Field<'_> {
    /// Whether an integer in this field is an HTTP status.
    pub(crate) fn is_called_status(&self) -> bool {
        const NAMES: [&str; 4] = ["status", "status_code", "http_status", "http_status_code"];
        matches!(&self.member, Member::Named(name) if NAMES.iter().any(|status| name.unraw() == status))
    }
}

impl Input<'_> {
    /// Whether the whole type is marked `never`.
    pub(crate) fn proves_nothing(&self) -> bool {
        let of_struct = self.variants.iter().filter(|_| !self.is_enum).find_map(|itself| itself.attrs.mark.as_ref());
        let mark = self.attrs.mark.as_ref().or(of_struct);
        mark.is_some_and(|mark| matches!(mark.kind, Kind::Never))
    }

    /// The path of the crate that the expansion names.
    pub(crate) fn krate(&self) -> TokenStream {
        self.attrs.krate.as_ref().map_or_else(|| quote!(::breaker_core), ToTokens::to_token_stream)
    }
}

/// Parses the type.
pub(crate) fn parse<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> Input<'a> {
    let (is_enum, attrs, variants) = match &input.data {
        Data::Union(data) => {
            diagnostics.error_with_help(
                data.union_token,
                "a union cannot derive `ProvesReachable`, because its active field is unknown",
                "make the error an enum",
            );
            // Nothing of it can be parsed, so it has no evidence.
            (false, Attrs::default(), Vec::new())
        }
        Data::Enum(data) => {
            let attrs = attr::read(&input.attrs, AttrPlace::Enum, diagnostics);
            let default_text = text(&input.attrs);
            let variants = data.variants.iter().map(|variant| Variant {
                ident: &variant.ident,
                attrs: attr::read(&variant.attrs, AttrPlace::Variant, diagnostics),
                text: text(&variant.attrs).or_else(|| default_text.clone()),
                fields: fields(&variant.fields, &variant.attrs, input, diagnostics),
            });
            (true, attrs, variants.collect())
        }
        Data::Struct(data) => {
            let mut attrs = attr::read(&input.attrs, AttrPlace::Struct, diagnostics);
            let own = Attrs { mark: attrs.mark.take(), because: attrs.because.take(), krate: None };
            let itself = Variant {
                ident: &input.ident,
                attrs: own,
                text: text(&input.attrs),
                fields: fields(&data.fields, &input.attrs, input, diagnostics),
            };
            (false, attrs, vec![itself])
        }
    };
    let is_deprecated = input.attrs.iter().any(|attribute| attribute.path().is_ident("deprecated"));
    Input { ident: &input.ident, is_deprecated, generics: &input.generics, is_enum, attrs, variants }
}

fn fields<'a>(
    fields: &'a Fields,
    of: &[Attribute],
    owner: &DeriveInput,
    diagnostics: &mut Diagnostics,
) -> Vec<Field<'a>> {
    let read = fields.iter().enumerate().map(|(position, field)| {
        let mentions = mentions(&field.ty, &owner.ident, &owner.generics);
        Field {
            member: field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(position)), Member::Named),
            ty: &field.ty,
            question: question::of(field, &mentions, of, &owner.generics),
            mentions,
            status: attr::read(&field.attrs, AttrPlace::Field, diagnostics).mark,
        }
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
