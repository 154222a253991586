//! Parsing of argument values.

use std::time::Duration;

use syn::parse::ParseStream;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, LitBool, LitStr, Path, UnOp};

use super::args::example_of;
use super::duration_grammar;
use crate::syntax::exprs::without_delimiters;

/// The value of `timeout`.
#[derive(Clone)]
pub(crate) struct Timeout {
    pub(crate) literal: LitStr,
    pub(crate) duration: Duration,
}

/// The value of `settles`: when the verdict about a stream is final.
#[derive(Clone)]
pub(crate) struct Settles {
    pub(crate) name: Ident,
}

impl Settles {
    pub(crate) fn at_first_item(&self) -> bool {
        self.name == "first_item"
    }
}

/// A kind of value after `=`.
pub(crate) trait ArgValue: Sized {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self>;
}

impl ArgValue for Expr {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse()
    }
}

impl ArgValue for Path {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self> {
        if let Ok(quoted) = input.fork().parse::<LitStr>() {
            input.parse::<LitStr>()?;
            let message = format!("write the path without quotes: `crate = {}`", quoted.value());
            return Err(syn::Error::new(quoted.span(), message));
        }
        input.call(Self::parse_mod_style)
    }
}

impl ArgValue for Timeout {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self> {
        // The message is chosen before the parse, because a value that is not a text is consumed too.
        let message = if input.peek(Lit) {
            "a duration needs a unit and quotes, for example `timeout = \"5s\"`"
        } else {
            "`timeout` takes a literal, for example `timeout = \"5s\"`; for a duration that is computed at run time, use \
             `tokio::time::timeout` in the body"
        };
        let literal: LitStr = input.parse().map_err(|error| syn::Error::new(error.span(), message))?;
        if cfg!(not(feature = "timeout")) {
            return Err(syn::Error::new(literal.span(), "`timeout` needs the feature `tokio` of `breaker-core`"));
        }
        let refused = |message| syn::Error::new(literal.span(), message);
        let text = literal.value();
        let duration = duration_grammar::parse(&text).map_err(|error| refused(error.to_string()))?;
        if duration.is_zero() {
            let message = "a `timeout` of zero leaves no time for a call: write a longer one, or remove it";
            return Err(refused(message.to_owned()));
        }
        Ok(Self { literal, duration })
    }
}

impl ArgValue for LitBool {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse().map_err(|error| syn::Error::new(error.span(), "write `probe = false` or `probe = true`"))
    }
}

impl ArgValue for Settles {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self> {
        let message = "write `settles = first_item` or `settles = end`";
        let name: Ident = input.parse().map_err(|error| syn::Error::new(error.span(), message))?;
        if name == "first_item" || name == "end" {
            Ok(Self { name })
        } else {
            Err(syn::Error::new(name.span(), message))
        }
    }
}

/// Parses the name of an operation: a text that is not empty, or any other expression, whose value is unknown here.
pub(crate) fn operation(input: ParseStream<'_>) -> syn::Result<Expr> {
    let value = without_delimiters(input.parse()?);
    match &value {
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) if name.value().trim().is_empty() => {
            let message =
                format!("the operation has an empty name: write `{}`, or remove the argument", example_of("operation"));
            Err(syn::Error::new(name.span(), message))
        }
        _ => Ok(value),
    }
}

/// Parses a closure with one argument or a path. The compiler reports other values that are not functions.
pub(crate) fn function(input: ParseStream<'_>, name: &str) -> syn::Result<Expr> {
    let value = without_delimiters(input.parse()?);
    let message = match &value {
        Expr::Closure(closure) if closure.inputs.len() != 1 => {
            format!("the closure of `{name}` must have one parameter, for example `{}`", example_of(name))
        }
        called if is_no_function(called) => format!("`{name}` takes a function, for example `{}`", example_of(name)),
        _ => return Ok(value),
    };
    Err(syn::Error::new_spanned(&value, message))
}

/// Whether a value cannot be a function. Most often it is the body of a closure whose `|error|` was forgotten.
fn is_no_function(value: &Expr) -> bool {
    match value {
        Expr::Lit(_) | Expr::Binary(_) | Expr::Unary(ExprUnary { op: UnOp::Not(_), .. }) => true,
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(made) if ["Ok", "Err"].iter().any(|name| made.path.is_ident(name)))
        }
        Expr::Macro(called) => called.mac.path.is_ident("matches"),
        _ => false,
    }
}
