//! One `#[reachable(...)]` attribute, wherever it stands.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprUnary, Lit, LitStr, Meta, Path, Token, UnOp};

use super::statuses::{self, NO_STATUS};
use super::suggest::nearest;
use crate::diagnostics::Diagnostics;

/// Where an attribute stands, which decides what may be in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Enum,
    Struct,
    Variant,
    Field,
}

impl Place {
    const fn name(self) -> &'static str {
        match self {
            Self::Enum => "an enum",
            Self::Struct => "a struct",
            Self::Variant => "a variant",
            Self::Field => "a field",
        }
    }
}

/// What the attributes of one place say.
#[derive(Default)]
pub(super) struct Said {
    pub(super) mark: Option<Mark>,
    pub(super) because: Option<LitStr>,
    pub(super) krate: Option<Path>,
}

/// A mark, and the tokens to point at when it is a mistake.
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) tokens: TokenStream,
}

pub(super) enum Kind {
    /// `#[reachable]`, alone or with a reason.
    Answer,
    /// `status = 404`.
    Statuses(Vec<Status>),
    /// `status` on a field.
    StatusHere,
    Transparent,
    Unknown,
    Never,
}

/// One status of a mark.
pub(super) enum Status {
    Literal(u16, Lit),
    /// Judged by the compiler.
    Constant(Expr),
}

/// A key of the attribute, the places where it may stand, and how it is written.
struct Key {
    name: &'static str,
    places: &'static [Place],
    written: &'static str,
}

const KEYS: &[Key] = &[
    Key { name: "status", places: &[Place::Struct, Place::Variant, Place::Field], written: "status = 404" },
    Key { name: "transparent", places: &[Place::Struct, Place::Variant], written: "transparent" },
    Key { name: "unknown", places: &[Place::Struct, Place::Variant], written: "unknown" },
    Key { name: "never", places: &[Place::Enum, Place::Struct], written: "never" },
    Key { name: "because", places: &[Place::Enum, Place::Struct, Place::Variant], written: "because = \"...\"" },
    Key { name: "crate", places: &[Place::Enum, Place::Struct], written: "crate = some::path" },
];

/// Reads all `#[reachable]` attributes among `attributes`.
pub(super) fn read(attributes: &[Attribute], place: Place, diagnostics: &mut Diagnostics) -> Said {
    let mut said = Said::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("reachable")) {
        read_one(attribute, place, &mut said, diagnostics);
    }
    said
}

fn read_one(attribute: &Attribute, place: Place, said: &mut Said, diagnostics: &mut Diagnostics) {
    match &attribute.meta {
        Meta::Path(path) if place == Place::Field => diagnostics.error_with_help(
            path,
            "a field cannot be an answer",
            "mark the variant; or write `#[reachable(status)]` on a field that holds an HTTP status",
        ),
        Meta::Path(path) => said.mark(Kind::Answer, path, diagnostics),
        Meta::NameValue(pair) => diagnostics.error_with_help(
            pair,
            "`reachable` takes its arguments in parentheses",
            "write `#[reachable]`, `#[reachable(status = 404)]`, or `#[reachable(because = \"...\")]`",
        ),
        Meta::List(list) if list.tokens.is_empty() => diagnostics.error_with_help(
            list,
            "the parentheses are empty",
            if place == Place::Field { "write `#[reachable(status)]`" } else { "write `#[reachable]`" },
        ),
        Meta::List(list) if matches!(list.tokens.clone().into_iter().next(), Some(TokenTree::Literal(_))) => {
            diagnostics.error_with_help(
                &list.tokens,
                "this value has no key",
                "write `status = 404` for a status, `because = \"...\"` for a reason",
            );
        }
        Meta::List(list) => {
            let (marked, reasoned) = (said.mark.is_some(), said.because.is_some());
            let mut mistaken = false;
            let parsed = list.parse_nested_meta(|item| {
                mistaken |= !read_item(&item, place, said, diagnostics)?;
                Ok(())
            });
            if let Err(error) = parsed {
                diagnostics.push(error);
                mistaken = true;
            }
            // A reason alone stands beside the plain mark.
            let reason_alone = said.because.is_some() && !reasoned && (said.mark.is_none() || marked);
            if reason_alone && !mistaken {
                said.mark(Kind::Answer, &list.path, diagnostics);
            }
            // A mistake is reported once: what it was meant to mark counts as marked.
            if mistaken && said.mark.is_none() && place != Place::Field {
                said.mark = Some(Mark { kind: Kind::Answer, tokens: list.path.to_token_stream() });
            }
        }
    }
}

/// Reads one `key` or `key = value`; whether it was sound. Mistakes that leave the rest readable are reported on the way.
fn read_item(
    item: &ParseNestedMeta<'_>,
    place: Place,
    said: &mut Said,
    diagnostics: &mut Diagnostics,
) -> syn::Result<bool> {
    let name = item.path.to_token_stream().to_string();
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        skip_value(item.input)?;
        diagnostics.error(&item.path, unknown_key(&name, place));
        return Ok(false);
    };
    if !key.places.contains(&place) {
        skip_value(item.input)?;
        diagnostics.error(&item.path, wrong_place(key, place));
        return Ok(false);
    }
    match key.name {
        "status" if place == Place::Field => {
            if item.input.peek(Token![=]) {
                let value = skip_value(item.input)?;
                diagnostics.error_with_help(
                    value,
                    "on a field, `status` takes no value: the field holds it",
                    "write `#[reachable(status)]` here, or move `status = ...` to the variant",
                );
                return Ok(false);
            }
            said.mark(Kind::StatusHere, &item.path, diagnostics);
        }
        "status" => {
            if !item.input.peek(Token![=]) {
                diagnostics.error_with_help(
                    &item.path,
                    format_args!("on {}, `status` needs a value", place.name()),
                    "write `status = 404`; or put `#[reachable(status)]` on the field that holds the status",
                );
                return Ok(false);
            }
            let value: Expr = item.value()?.parse()?;
            let Some(statuses) = read_statuses(value, diagnostics) else {
                return Ok(false);
            };
            said.mark(Kind::Statuses(statuses), &item.path, diagnostics);
        }
        "because" => return read_because(item, said, diagnostics),
        "crate" => {
            let path = item.value()?.call(Path::parse_mod_style)?;
            if said.krate.is_some() {
                diagnostics.error(&item.path, "`crate` is given twice");
                return Ok(false);
            }
            said.krate = Some(path);
        }
        flag => {
            if item.input.peek(Token![=]) || item.input.peek(syn::token::Paren) {
                let value = skip_value(item.input)?;
                diagnostics.error(value, format_args!("`{flag}` takes no value: write `#[reachable({flag})]`"));
                return Ok(false);
            }
            let kind = match flag {
                "transparent" => Kind::Transparent,
                "unknown" => Kind::Unknown,
                _ => Kind::Never,
            };
            said.mark(kind, &item.path, diagnostics);
        }
    }
    Ok(true)
}

fn read_because(item: &ParseNestedMeta<'_>, said: &mut Said, diagnostics: &mut Diagnostics) -> syn::Result<bool> {
    if !item.input.peek(Token![=]) {
        diagnostics.error_with_help(
            &item.path,
            "`because` needs a text",
            "write `because = \"...\"`, and say how this error proves that the remote system answered",
        );
        return Ok(false);
    }
    let value: Expr = item.value()?.parse()?;
    let Some(Lit::Str(reason)) = literal(&value) else {
        diagnostics.error(&value, "`because` takes a string literal: the reason is for the reader of this very line");
        return Ok(false);
    };
    if reason.value().trim().is_empty() {
        diagnostics.error(reason, "the reason is empty: say how this error proves that the remote system answered");
        return Ok(false);
    }
    if said.because.is_some() {
        diagnostics.error(&item.path, "`because` is given twice: put both reasons into one text");
        return Ok(false);
    }
    said.because = Some(reason.clone());
    Ok(true)
}

fn read_statuses(value: Expr, diagnostics: &mut Diagnostics) -> Option<Vec<Status>> {
    let listed = match ungrouped(&value) {
        Expr::Array(list) if list.elems.is_empty() => {
            diagnostics.error_with_help(
                &value,
                "the list of statuses is empty",
                "write `#[reachable]`, or name a status",
            );
            return None;
        }
        Expr::Array(list) => list.elems.clone(),
        _ => Punctuated::from_iter([value]),
    };
    let mut statuses: Vec<Status> = Vec::new();
    let mut sound = true;
    for status in listed {
        match read_status(status, &statuses) {
            Ok(status) => statuses.push(status),
            Err(error) => {
                diagnostics.push(error);
                sound = false;
            }
        }
    }
    sound.then_some(statuses)
}

fn read_status(value: Expr, before: &[Status]) -> syn::Result<Status> {
    if let Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) = ungrouped(&value) {
        if literal(expr).is_some() {
            return Err(syn::Error::new_spanned(&value, NO_STATUS));
        }
    }
    let Some(lit) = literal(&value) else {
        return Ok(Status::Constant(value));
    };
    let Lit::Int(number) = lit else {
        let message = "a status is a number: write `status = 404`, or name a constant of type `u16`";
        return Err(syn::Error::new_spanned(lit, message));
    };
    if !matches!(number.suffix(), "" | "u16") {
        return Err(syn::Error::new_spanned(lit, "a status is a `u16`"));
    }
    let status = number.base10_parse().unwrap_or(0);
    if statuses::class(status).is_none() {
        return Err(syn::Error::new_spanned(lit, NO_STATUS));
    }
    let twice = before.iter().any(|other| matches!(other, Status::Literal(code, _) if *code == status));
    if twice {
        return Err(syn::Error::new_spanned(lit, "this status is in the list already"));
    }
    Ok(Status::Literal(status, lit.clone()))
}

/// The literal that an expression is, through the invisible groups of `macro_rules!`.
fn literal(value: &Expr) -> Option<&Lit> {
    match ungrouped(value) {
        Expr::Lit(literal) => Some(&literal.lit),
        _ => None,
    }
}

fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

impl Said {
    fn mark(&mut self, kind: Kind, tokens: impl ToTokens, diagnostics: &mut Diagnostics) {
        if let Some(first) = &self.mark {
            let message = match (&first.kind, &kind) {
                (Kind::Answer, Kind::Answer) => "this is marked twice: remove one `#[reachable]`".to_owned(),
                (first, second) if first.written() == second.written() => {
                    format!("`{}` is given twice", second.written())
                }
                (first, second) => format!(
                    "`{}` contradicts `{}`: one error has one mark, so remove one of them",
                    second.written(),
                    first.written(),
                ),
            };
            diagnostics.error(tokens, message);
            return;
        }
        self.mark = Some(Mark { kind, tokens: tokens.to_token_stream() });
    }
}

impl Kind {
    const fn written(&self) -> &'static str {
        match self {
            Self::Answer => "reachable",
            Self::Statuses(_) | Self::StatusHere => "status",
            Self::Transparent => "transparent",
            Self::Unknown => "unknown",
            Self::Never => "never",
        }
    }
}

/// Reads past `= value` or `(...)`, so that what comes after is still checked; the tokens that were read.
fn skip_value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut skipped = quote!();
    while !input.is_empty() && !input.peek(Token![,]) {
        let token: TokenTree = input.parse()?;
        skipped.extend([token]);
    }
    // Point at the value, not at its `=`.
    let value: TokenStream = skipped.clone().into_iter().skip(1).collect();
    Ok(if value.is_empty() { skipped } else { value })
}

fn allowed(place: Place) -> Vec<&'static Key> {
    KEYS.iter().filter(|key| key.places.contains(&place)).collect()
}

fn unknown_key(name: &str, place: Place) -> String {
    let allowed = allowed(place);
    let names: Vec<&str> = allowed.iter().map(|key| key.name).collect();
    if let Some(near) = nearest(name, &names) {
        return format!("`{name}` is no argument of `reachable`\nhelp: did you mean `{near}`?");
    }
    let written: Vec<String> = allowed.iter().map(|key| format!("`{}`", written_at(key, place))).collect();
    format!("`{name}` is no argument of `reachable`\nhelp: on {} it takes {}", place.name(), written.join(", "))
}

fn wrong_place(key: &Key, place: Place) -> String {
    let help = match (key.name, place) {
        ("never", Place::Variant) => "an unmarked variant proves nothing already, so remove the attribute".to_owned(),
        ("crate", _) => "put it on the type".to_owned(),
        ("status" | "transparent" | "unknown", Place::Enum) => "put it on the variants that it is true of".to_owned(),
        _ => "put it on the variant".to_owned(),
    };
    format!("`{}` means nothing on {}\nhelp: {help}", key.name, place.name())
}

fn written_at(key: &Key, place: Place) -> &'static str {
    if key.name == "status" && place == Place::Field { "status" } else { key.written }
}
