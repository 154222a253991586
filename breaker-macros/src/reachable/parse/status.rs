//! Parsing of the value of `status = ...`.

use syn::punctuated::Punctuated;
use syn::{Expr, ExprUnary, Lit, UnOp};

use crate::diagnostics::Diagnostics;
use crate::reachable::http_status::{self, NO_STATUS};
use crate::syntax::exprs::without_delimiters;

/// One status of a mark.
pub(crate) enum Status {
    Literal(u16, Lit),
    /// A constant, which the compiler checks.
    Constant(Expr),
}

/// Returns the given statuses, unless one of them is a mistake.
pub(crate) fn read(value: Expr, diagnostics: &mut Diagnostics) -> Option<Vec<Status>> {
    let value = without_delimiters(value);
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
        match read_status(without_delimiters(status), &statuses) {
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
        let message = "a status is a number, for example `status = 404`, or a constant of type `u16`";
        return Err(syn::Error::new_spanned(lit, message));
    };
    if !matches!(number.suffix(), "" | "u16") {
        return Err(syn::Error::new_spanned(lit, "a status is a `u16`"));
    }
    let status = number.base10_parse().unwrap_or(0);
    if http_status::class(status).is_none() {
        return Err(syn::Error::new_spanned(lit, NO_STATUS));
    }
    let twice = before.iter().any(|other| matches!(other, Status::Literal(code, _) if *code == status));
    if twice {
        return Err(syn::Error::new_spanned(lit, "this status is already in the list"));
    }
    Ok(Status::Literal(status, lit.clone()))
}

/// Returns the literal in an expression, through the invisible groups of `macro_rules!`.
pub(crate) fn literal(value: &Expr) -> Option<&Lit> {
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
