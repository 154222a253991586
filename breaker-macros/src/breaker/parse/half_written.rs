//! Signatures that are still being written. The compiler reports them and expands the attribute all the same.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What the compiler did about a signature that cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// Nothing: the syntax may be valid.
    None,
    /// Reported it. A second report at the same token is not shown.
    Reported,
    /// Reported that there is no type after `->` and left the function out. If it were written again, it would be
    /// reported again.
    LeftOut,
}

pub(crate) fn recovery_of(function: &TokenStream) -> Recovery {
    let trees: Vec<TokenTree> = function.clone().into_iter().collect();
    // A function pointer has no name.
    let is_start = |pair: &[TokenTree]| is_word(&pair[0], "fn") && matches!(pair[1], TokenTree::Ident(_));
    let Some(start) = trees.windows(2).position(is_start) else { return Recovery::None };
    let (before, after) = trees.split_at(start);
    let (parameters, after) = parameters(after).unwrap_or_default();
    if lacks_return_type(after) {
        Recovery::LeftOut
    } else if is_misordered(before) || has_wrong_arrow(after) || has_wrong_parameter(parameters) {
        Recovery::Reported
    } else {
        Recovery::None
    }
}

/// The parentheses after `fn NAME` and the generics, and everything after them.
fn parameters(trees: &[TokenTree]) -> Option<(TokenStream, &[TokenTree])> {
    let mut depth = Depth::default();
    trees.iter().enumerate().find_map(|(at, tree)| match tree {
        TokenTree::Group(group) if depth.is_zero() && group.delimiter() == Delimiter::Parenthesis => {
            Some((group.stream(), &trees[at + 1..]))
        }
        tree => {
            depth.read(tree);
            None
        }
    })
}

/// Whether `const`, `async` and `unsafe` are not in this order.
fn is_misordered(before: &[TokenTree]) -> bool {
    let rank = |tree: &TokenTree| ["const", "async", "unsafe", "extern"].iter().position(|word| is_word(tree, word));
    !before.iter().filter_map(rank).is_sorted()
}

/// `=> T` or `: T` instead of `-> T`.
fn has_wrong_arrow(after: &[TokenTree]) -> bool {
    after.first().is_some_and(|next| is_punct(next, '=') || is_punct(next, ':'))
}

fn lacks_return_type(after: &[TokenTree]) -> bool {
    let [minus, arrow, next, ..] = after else { return false };
    is_punct(minus, '-')
        && is_punct(arrow, '>')
        && match next {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            next => is_punct(next, ';') || is_word(next, "where"),
        }
}

/// Whether a parameter has no type, or has a default, or is a `self` that is not the first.
fn has_wrong_parameter(parameters: TokenStream) -> bool {
    let mut depth = Depth::default();
    let mut parameter = Vec::new();
    let mut is_first = true;
    let comma = TokenTree::Punct(proc_macro2::Punct::new(',', proc_macro2::Spacing::Alone));
    for tree in parameters.into_iter().chain([comma]) {
        if depth.is_zero() && is_punct(&tree, ',') {
            match parameter.as_slice() {
                [] => {}
                [name] if !is_word(name, "self") && matches!(name, TokenTree::Ident(_)) => return true,
                [.., last] if is_punct(last, ':') => return true,
                _ if parameter.iter().any(|tree| is_punct(tree, '=')) => return true,
                [.., last] if is_word(last, "self") && !is_first => return true,
                _ => {}
            }
            parameter.clear();
            is_first = false;
        } else {
            let is_inside = !depth.is_zero();
            depth.read(&tree);
            // `Fn(A) -> B` and `Iterator<Item = A>` are inside.
            if !is_inside {
                parameter.push(tree);
            }
        }
    }
    false
}

/// The depth of angle brackets.
#[derive(Default)]
struct Depth {
    depth: u32,
    after_minus: bool,
}

impl Depth {
    fn is_zero(&self) -> bool {
        self.depth == 0
    }

    fn read(&mut self, tree: &TokenTree) {
        if is_punct(tree, '<') {
            self.depth += 1;
        } else if is_punct(tree, '>') && !self.after_minus {
            self.depth = self.depth.saturating_sub(1);
        }
        self.after_minus = is_punct(tree, '-');
    }
}

fn is_punct(tree: &TokenTree, char: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == char)
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_refuses_for_certain_is_reported() {
        for (text, recovery) in [
            ("async fn a(&self, b) -> u8 { 1 }", Recovery::Reported),
            ("fn a<F: Fn(u8) -> u8>(b: ) {}", Recovery::Reported),
            ("fn a(b, c: u8) {}", Recovery::Reported),
            ("fn a() -> {}", Recovery::LeftOut),
            ("fn a<T>() -> where T: Copy {}", Recovery::LeftOut),
            ("fn a() -> ;", Recovery::LeftOut),
            ("fn a() => u8 {}", Recovery::Reported),
            ("fn a<T>(): u8 {}", Recovery::Reported),
            ("pub async const fn a() -> u8 {}", Recovery::Reported),
            ("fn a(b: u8 = 3) {}", Recovery::Reported),
            ("fn a(b: u8, &mut self) {}", Recovery::Reported),
            ("fn a(self) {}", Recovery::None),
            ("const A: fn(u8) = b;", Recovery::None),
            ("const async unsafe fn a(b: impl Iterator<Item = u8>) {}", Recovery::None),
            ("fn a(&self, b: Map<A, B, C>, c: fn(A) -> B,) -> Pin<Box<dyn Fn() -> u8>> { 1 }", Recovery::None),
            ("gen fn a(mut self, _: u8, (b, c): (u8, u8)) -> ! { loop {} }", Recovery::None),
        ] {
            assert_eq!(recovery_of(&text.parse().unwrap()), recovery, "{text}");
        }
    }
}
