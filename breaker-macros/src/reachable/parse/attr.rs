//! Parsing of the `#[reachable(...)]` attributes of one item.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Attribute, LitStr, Meta, Path};

use super::attr_arguments;
use super::attr_keys::AttrPlace;
use super::status::Status;
use crate::diagnostics::Diagnostics;

/// The content of the attributes of one item.
#[derive(Default)]
pub(crate) struct Attrs {
    pub(crate) mark: Option<VariantMark>,
    pub(crate) because: Option<LitStr>,
    pub(crate) krate: Option<Path>,
}

/// A mark, and the tokens at which a mistake in it is reported.
pub(crate) struct VariantMark {
    pub(crate) kind: Kind,
    pub(crate) tokens: TokenStream,
}

pub(crate) enum Kind {
    /// `#[reachable]`, alone or with a reason.
    Answer,
    /// `status = 404`.
    Statuses(Vec<Status>),
    /// `status` on a field.
    StatusHere,
    Transparent,
    Unknown,
    Never,
    /// An attribute that could not be parsed.
    Mistaken,
}

/// Parses all `#[reachable]` attributes among `attributes`.
pub(crate) fn read(attributes: &[Attribute], place: AttrPlace, diagnostics: &mut Diagnostics) -> Attrs {
    let mut attrs = Attrs::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("reachable")) {
        read_one(attribute, place, &mut attrs, diagnostics);
    }
    attrs
}

fn read_one(attribute: &Attribute, place: AttrPlace, attrs: &mut Attrs, diagnostics: &mut Diagnostics) {
    let before = diagnostics.len();
    read_form(attribute, place, attrs, diagnostics);
    // It counts as a mark that is not judged, so that one mistake causes one error.
    if diagnostics.len() > before {
        attrs.mark = Some(VariantMark { kind: Kind::Mistaken, tokens: attribute.path().to_token_stream() });
    }
}

fn read_form(attribute: &Attribute, place: AttrPlace, attrs: &mut Attrs, diagnostics: &mut Diagnostics) {
    match &attribute.meta {
        Meta::Path(path) if place == AttrPlace::Field => diagnostics.error_with_help(
            path,
            "a field cannot be marked as an answer",
            "mark the variant; or write `#[reachable(status)]` on a field that contains an HTTP status",
        ),
        Meta::Path(path) => attrs.mark(Kind::Answer, path, diagnostics),
        Meta::NameValue(pair) => diagnostics.error_with_help(
            pair,
            "`reachable` takes its arguments in parentheses",
            "write `#[reachable]`, `#[reachable(status = 404)]`, or `#[reachable(because = \"...\")]`",
        ),
        Meta::List(list) if list.tokens.is_empty() => diagnostics.error_with_help(
            list,
            "the parentheses are empty",
            if place == AttrPlace::Field { "write `#[reachable(status)]`" } else { "write `#[reachable]`" },
        ),
        Meta::List(list) => {
            let (marked, reasoned) = (attrs.mark.is_some(), attrs.because.is_some());
            if let Err(error) = list
                .parse_args_with(|input: ParseStream<'_>| attr_arguments::read_all(input, place, attrs, diagnostics))
            {
                diagnostics.push(error);
            }
            // A reason without another argument belongs to the plain mark.
            if attrs.because.is_some() && !reasoned && (attrs.mark.is_none() || marked) {
                attrs.mark(Kind::Answer, &list.path, diagnostics);
            }
        }
    }
}

impl Attrs {
    /// Records a mark, or reports that there is one already.
    pub(crate) fn mark(&mut self, kind: Kind, tokens: impl ToTokens, diagnostics: &mut Diagnostics) {
        if let Some(first) = &self.mark {
            if matches!(first.kind, Kind::Mistaken) {
                return;
            }
            let message = match (&first.kind, &kind) {
                (Kind::Answer, Kind::Answer) => "this is marked twice: remove one `#[reachable]`".to_owned(),
                (first, second) if first.written() == second.written() => {
                    format!("`{}` is given twice: remove one", second.written())
                }
                (first, second) => format!(
                    "`{}` contradicts `{}`: remove one of them, because an error has one mark",
                    second.written(),
                    first.written(),
                ),
            };
            diagnostics.error(tokens, message);
            return;
        }
        self.mark = Some(VariantMark { kind, tokens: tokens.to_token_stream() });
    }
}

impl Kind {
    const fn written(&self) -> &'static str {
        match self {
            Self::Answer | Self::Mistaken => "reachable",
            Self::Statuses(_) | Self::StatusHere => "status",
            Self::Transparent => "transparent",
            Self::Unknown => "unknown",
            Self::Never => "never",
        }
    }
}
