//! Support for `#[cfg_attr(CONDITION, breaker(..))]` on a method of an annotated block. Only the compiler can evaluate
//! the condition, so the method is written twice, and the compiler selects one.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token, parse_quote_spanned};

use super::parse::function::Function;
use super::parse::impl_items::is_breaker;

/// Returns the method once for each outcome of the conditions, with our attributes unconditional.
pub(crate) fn versions(method: Function) -> Vec<Function> {
    let conditional = method.attrs.iter().enumerate().find_map(|(at, attribute)| Some((at, split(attribute)?)));
    let Some((at, Conditional { met, unmet })) = conditional else { return vec![method] };
    let mut otherwise = method.clone();
    let mut method = method;
    method.attrs.splice(at..=at, met);
    otherwise.attrs.splice(at..=at, unmet);
    [method, otherwise].into_iter().flat_map(versions).collect()
}

/// Returns the conditions under which an item with these attributes exists.
pub(crate) fn conditions(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Limits errors to builds in which the method exists.
pub(crate) fn under(conditions: &[Attribute], errors: TokenStream) -> TokenStream {
    if conditions.is_empty() || errors.is_empty() {
        return errors;
    }
    quote_spanned!(Span::mixed_site()=> #(#conditions)* const _: () = { #errors };)
}

/// The replacements of such an attribute, for a condition that is met and one that is not.
struct Conditional {
    met: Vec<Attribute>,
    unmet: Vec<Attribute>,
}

/// Splits `#[cfg_attr(CONDITION, breaker(..), ..)]` into `#[cfg(CONDITION)] #[breaker(..)] ..` and
/// `#[cfg(not(CONDITION))]`.
fn split(attribute: &Attribute) -> Option<Conditional> {
    let Meta::List(list) = &attribute.meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let (condition, attributes) = at_first_comma(list.tokens.clone());
    let attributes = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(attributes).ok()?;
    let span = attribute.pound_token.span;
    let attributes: Vec<Attribute> = attributes.into_iter().map(|meta| parse_quote_spanned!(span=> #[#meta])).collect();
    // A nested `cfg_attr` is split in the next step.
    if !attributes.iter().any(|attribute| is_breaker(attribute) || split(attribute).is_some()) {
        return None;
    }
    let met = parse_quote_spanned!(span=> #[cfg(#condition)]);
    let unmet = parse_quote_spanned!(span=> #[cfg(not(#condition))]);
    Some(Conditional { met: [met].into_iter().chain(attributes).collect(), unmet: vec![unmet] })
}

fn at_first_comma(tokens: TokenStream) -> (TokenStream, TokenStream) {
    let mut tokens = tokens.into_iter();
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ',');
    let before = tokens.by_ref().take_while(|tree| !is_comma(tree)).collect();
    (before, tokens.collect())
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::*;

    fn versions_of(text: &str) -> Vec<String> {
        let method = Function::parse.parse_str(text).unwrap();
        versions(method).iter().map(|method| method.to_token_stream().to_string().replace(' ', "")).collect()
    }

    #[test]
    fn each_combination_of_conditions_has_its_version() {
        assert_eq!(
            versions_of("#[inline] #[cfg_attr(test, cold, breaker(skip))] fn f() {}"),
            ["#[inline]#[cfg(test)]#[cold]#[breaker(skip)]fnf(){}", "#[inline]#[cfg(not(test))]fnf(){}"]
        );
        assert_eq!(versions_of("#[cfg_attr(a, breaker)] #[cfg_attr(b, breaker)] fn f() {}").len(), 4);
        assert_eq!(
            versions_of("#[cfg_attr(a, cfg_attr(b, breaker(skip)))] fn f() {}"),
            ["#[cfg(a)]#[cfg(b)]#[breaker(skip)]fnf(){}", "#[cfg(a)]#[cfg(not(b))]fnf(){}", "#[cfg(not(a))]fnf(){}"]
        );
    }

    #[test]
    fn other_attributes_are_unchanged() {
        let other = "#[cfg_attr(any(a, b), inline, must_use)] fn f() {}";
        assert_eq!(versions_of(other), [other.replace(' ', "")]);
    }
}
