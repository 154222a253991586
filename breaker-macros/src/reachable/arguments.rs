//! One argument of `#[reachable(...)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::{Expr, Lit, Path, Token};

use super::attribute::{Kind, Said};
use super::keys::{Key, Place};
use super::status_argument;
use crate::diagnostics::Diagnostics;

/// Reads one `key` or `key = value`. A mistake that leaves the rest readable is reported on the way.
pub(super) fn read(
    item: &ParseNestedMeta<'_>,
    place: Place,
    said: &mut Said,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let name = item.path.to_token_stream().to_string();
    let key = match Key::find(&name, place) {
        Ok(key) => key,
        Err(message) => {
            skip_value(item.input)?;
            diagnostics.error(&item.path, message);
            return Ok(());
        }
    };
    match key.name {
        "status" if place == Place::Field => {
            if item.input.peek(Token![=]) {
                let value = skip_value(item.input)?;
                diagnostics.error_with_help(
                    value,
                    "on a field, `status` takes no value: the field holds it",
                    "write `#[reachable(status)]` here, or move `status = ...` to the variant",
                );
                return Ok(());
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
                return Ok(());
            }
            let value: Expr = item.value()?.parse()?;
            if let Some(statuses) = status_argument::read(value, diagnostics) {
                said.mark(Kind::Statuses(statuses), &item.path, diagnostics);
            }
        }
        "because" => read_because(item, said, diagnostics)?,
        "crate" => {
            let path = item.value()?.call(Path::parse_mod_style)?;
            if said.krate.is_some() {
                diagnostics.error(&item.path, "`crate` is given twice");
                return Ok(());
            }
            said.krate = Some(path);
        }
        flag => {
            if item.input.peek(Token![=]) || item.input.peek(syn::token::Paren) {
                let value = skip_value(item.input)?;
                diagnostics.error(value, format_args!("`{flag}` takes no value: write `#[reachable({flag})]`"));
                return Ok(());
            }
            let kind = match flag {
                "transparent" => Kind::Transparent,
                "unknown" => Kind::Unknown,
                _ => Kind::Never,
            };
            said.mark(kind, &item.path, diagnostics);
        }
    }
    Ok(())
}

fn read_because(item: &ParseNestedMeta<'_>, said: &mut Said, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    if !item.input.peek(Token![=]) {
        diagnostics.error_with_help(
            &item.path,
            "`because` needs a text",
            "write `because = \"...\"`, and say how this error proves that the remote system answered",
        );
        return Ok(());
    }
    let value: Expr = item.value()?.parse()?;
    let Some(Lit::Str(reason)) = status_argument::literal(&value) else {
        diagnostics.error(&value, "`because` takes a string literal: the reason is for the reader of this very line");
        return Ok(());
    };
    if reason.value().trim().is_empty() {
        diagnostics.error(reason, "the reason is empty: say how this error proves that the remote system answered");
        return Ok(());
    }
    if said.because.is_some() {
        diagnostics.error(&item.path, "`because` is given twice: put both reasons into one text");
        return Ok(());
    }
    said.because = Some(reason.clone());
    Ok(())
}

/// Reads past `= value` or `(...)`, so that what comes after is still checked; the tokens that were read.
fn skip_value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut skipped = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        let token: TokenTree = input.parse()?;
        skipped.extend([token]);
    }
    // Point at the value, not at its `=`.
    let value: TokenStream = skipped.clone().into_iter().skip(1).collect();
    Ok(if value.is_empty() { skipped } else { value })
}
