//! Parsing of the arguments of `#[reachable(...)]`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Lit, LitStr, Path, Token};

use super::attr::{Attrs, Kind};
use super::attr_keys::{AttrPlace, Key};
use super::status;
use crate::diagnostics::Diagnostics;

/// Parses all arguments. A mistake that leaves the rest readable is reported immediately.
pub(crate) fn read_all(
    input: ParseStream<'_>,
    place: AttrPlace,
    attrs: &mut Attrs,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    while !input.is_empty() {
        if input.peek(syn::Ident::peek_any) {
            let name = input.call(Ident::parse_any)?;
            read(&Argument { name, input }, place, attrs, diagnostics)?;
        } else {
            let first: TokenTree = input.fork().parse()?;
            skip(input)?;
            diagnostics.error_with_help(
                first,
                "expected an argument, which begins with its name",
                "write `status = 404` for a status, `status = [404, 410]` for several, `because = \"...\"` for a reason",
            );
        }
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        } else if !input.is_empty() {
            no_comma(input, diagnostics)?;
        }
    }
    Ok(())
}

/// Reports the tokens in place of a comma, and continues with the next argument.
fn no_comma(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    let next: TokenTree = input.fork().parse()?;
    if Key::is_any(&next.to_string()) {
        let message = format!("there is no comma before `{next}`");
        diagnostics.error_with_help(&next, message, format_args!("write `, {next}`"));
        return Ok(());
    }
    skip(input)?;
    diagnostics.error_with_help(
        next,
        "expected a comma or the end of the arguments",
        "for several statuses write a list, `status = [404, 410]`; for several reasons write one text",
    );
    Ok(())
}

/// An argument whose name has been parsed.
struct Argument<'a> {
    name: Ident,
    input: ParseStream<'a>,
}

impl Argument<'_> {
    /// The value after the `=`; `None` where there is none, and the tokens in its place are skipped.
    fn value<T>(&self, read: impl FnOnce(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<Option<T>> {
        let has_value = self.input.peek(Token![=]) && {
            let ahead = self.input.fork();
            ahead.parse::<Token![=]>()?;
            !ahead.is_empty() && !ahead.peek(Token![,])
        };
        if !has_value {
            skip(self.input)?;
            return Ok(None);
        }
        self.input.parse::<Token![=]>()?;
        read(self.input).map(Some)
    }
}

/// Parses one `name` or `name = value`.
fn read(
    argument: &Argument<'_>,
    place: AttrPlace,
    attrs: &mut Attrs,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let Argument { name, input } = argument;
    let key = match Key::find(&name.to_string(), place) {
        Ok(key) => key,
        Err(message) => {
            skip(input)?;
            diagnostics.error(name, message);
            return Ok(());
        }
    };
    match key.name {
        "status" if place == AttrPlace::Field => {
            if let Some(value) = skip_value(input)? {
                diagnostics.error_with_help(
                    value,
                    "on a field, `status` takes no value, because the field contains it",
                    "write `#[reachable(status)]` here, or move `status = ...` to the variant",
                );
                return Ok(());
            }
            attrs.mark(Kind::StatusHere, name, diagnostics);
        }
        "status" => {
            let Some(value) = argument.value(Expr::parse)? else {
                diagnostics.error_with_help(
                    name,
                    format_args!("on {}, `status` needs a value", place.name()),
                    "write `status = 404`; or put `#[reachable(status)]` on the field that holds the status",
                );
                return Ok(());
            };
            if let Some(statuses) = status::read(value, diagnostics) {
                attrs.mark(Kind::Statuses(statuses), name, diagnostics);
            }
        }
        "because" => read_because(argument, attrs, diagnostics)?,
        "crate" => read_crate(argument, attrs, diagnostics)?,
        flag => {
            if let Some(value) = skip_value(input)? {
                diagnostics.error(value, format_args!("`{flag}` takes no value: write `#[reachable({flag})]`"));
                return Ok(());
            }
            let kind = match flag {
                "transparent" => Kind::Transparent,
                "unknown" => Kind::Unknown,
                _ => Kind::Never,
            };
            attrs.mark(kind, name, diagnostics);
        }
    }
    Ok(())
}

fn read_because(argument: &Argument<'_>, attrs: &mut Attrs, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    let Some(value) = argument.value(Expr::parse)? else {
        diagnostics.error_with_help(
            &argument.name,
            "`because` needs a text",
            "write `because = \"...\"` and state how this error proves that the remote system answered",
        );
        return Ok(());
    };
    let Some(Lit::Str(reason)) = status::literal(&value) else {
        diagnostics.error(&value, "`because` takes a string literal, because a reviewer reads it here");
        return Ok(());
    };
    if !reason.value().contains(char::is_alphanumeric) {
        diagnostics.error(reason, "the reason is empty: state how this error proves that the remote system answered");
        return Ok(());
    }
    if attrs.because.is_some() {
        diagnostics.error(&argument.name, "`because` is given twice: write both reasons in one text");
        return Ok(());
    }
    attrs.because = Some(reason.clone());
    Ok(())
}

fn read_crate(argument: &Argument<'_>, attrs: &mut Attrs, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    const WRITE: &str = "write `crate = some::path`";
    let in_quotes = |input: ParseStream<'_>| {
        let text = if input.peek(LitStr) { Some(input.parse::<LitStr>()?) } else { None };
        let path = match &text {
            Some(text) => text.parse_with(Path::parse_mod_style)?,
            None => input.call(Path::parse_mod_style)?,
        };
        Ok((path, text))
    };
    let Some((path, text)) = argument.value(in_quotes)? else {
        diagnostics.error_with_help(&argument.name, "`crate` needs the path of `breaker_core`", WRITE);
        return Ok(());
    };
    if let Some(text) = text {
        diagnostics.error_with_help(text, "`crate` takes a path without quotes", WRITE);
    } else if attrs.krate.is_some() {
        diagnostics.error(&argument.name, "`crate` is given twice: remove one");
        return Ok(());
    }
    attrs.krate = Some(path);
    Ok(())
}

/// Skips `= value` or `(...)`, so that the rest is still checked. Returns the tokens for the error.
fn skip_value(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    let skipped = skip(input)?;
    // The error is at the value, not at its `=`.
    let value: TokenStream = skipped.clone().into_iter().skip(1).collect();
    let value = if value.is_empty() { skipped } else { value };
    Ok((!value.is_empty()).then_some(value))
}

/// Skips everything up to the next argument.
fn skip(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut skipped = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        let token: TokenTree = input.parse()?;
        skipped.extend([token]);
    }
    Ok(skipped)
}
