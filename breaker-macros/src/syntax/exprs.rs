//! Expressions without redundant delimiters.

use syn::{Expr, Stmt};

/// Removes parentheses, and braces around a single expression. They have no meaning in an argument, and the compiler
/// would warn about them in the expansion.
pub(crate) fn without_delimiters(expr: Expr) -> Expr {
    match expr {
        Expr::Paren(paren) if paren.attrs.is_empty() => without_delimiters(*paren.expr),
        Expr::Block(mut braces) if braces.attrs.is_empty() && braces.label.is_none() => {
            match (braces.block.stmts.pop(), braces.block.stmts.is_empty()) {
                (Some(Stmt::Expr(inner, None)), true) => without_delimiters(inner),
                (last, _) => {
                    braces.block.stmts.extend(last);
                    Expr::Block(braces)
                }
            }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    #[test]
    fn only_redundant_wrappers_are_removed() {
        for (written, left) in [
            ("(a)", "a"),
            ("{ (a + b) }", "a + b"),
            ("(a, b)", "(a , b)"),
            ("{ let a = 1; a }", "{ let a = 1 ; a }"),
            ("{ a; }", "{ a ; }"),
            ("{}", "{ }"),
            ("unsafe { a }", "unsafe { a }"),
        ] {
            assert_eq!(
                super::without_delimiters(syn::parse_str(written).unwrap()).into_token_stream().to_string(),
                left,
                "{written}"
            );
        }
    }
}
