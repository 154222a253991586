//! The values of arguments.

use syn::parse::ParseStream;
use syn::{Expr, ExprLit, ExprUnary, Lit, LitBool, LitStr, Path, UnOp};

use super::args::example_of;
use super::duration;
use crate::syntax::exprs::without_delimiters;

/// A time limit.
#[derive(Clone)]
pub(crate) struct Timeout {
    pub(crate) literal: LitStr,
    pub(crate) nanoseconds: u64,
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
        // Looked at before it is read: what is no text is consumed all the same.
        let message = if input.peek(Lit) {
            "a time needs its unit: write `timeout = \"5s\"`, with the quotes"
        } else {
            "a time is written out: `timeout = \"5s\"`; for one that is known at run time, put `tokio::time::timeout` \
             into the body"
        };
        let literal: LitStr = input.parse().map_err(|error| syn::Error::new(error.span(), message))?;
        if cfg!(not(feature = "timeout")) {
            return Err(syn::Error::new(literal.span(), "`timeout` needs the feature `tokio` of `breaker-core`"));
        }
        let nanoseconds = duration::nanoseconds(&literal)?;
        Ok(Self { literal, nanoseconds })
    }
}

impl ArgValue for LitBool {
    fn parse_value(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse().map_err(|error| syn::Error::new(error.span(), "write `probe = false` or `probe = true`"))
    }
}

/// The name of an operation: a text that is not empty, or an expression of which that cannot be told.
pub(crate) fn operation(input: ParseStream<'_>) -> syn::Result<Expr> {
    let value = without_delimiters(input.parse()?);
    match &value {
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) if name.value().trim().is_empty() => {
            let message = format!("the operation has no name: write `{}`, or leave it out", example_of("operation"));
            Err(syn::Error::new(name.span(), message))
        }
        _ => Ok(value),
    }
}

/// A closure of one argument, or a path; what else may be a function the compiler says.
pub(crate) fn function(input: ParseStream<'_>, name: &str) -> syn::Result<Expr> {
    let value = without_delimiters(input.parse()?);
    let message = match &value {
        Expr::Closure(closure) if closure.inputs.len() != 1 => {
            format!("the closure of `{name}` has one argument: write `{}`", example_of(name))
        }
        called if is_no_function(called) => format!("`{name}` takes a function: write `{}`", example_of(name)),
        _ => return Ok(value),
    };
    Err(syn::Error::new_spanned(&value, message))
}

/// Whether it is a value that can be no function: most often the body of a closure whose `|error|` was forgotten.
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
