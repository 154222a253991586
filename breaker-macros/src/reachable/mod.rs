//! `#[derive(ProvesReachable)]`: parse the type and its marks, judge each mark, expand.

mod expand;
mod http_status;
mod naming;
mod parse;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::diagnostics::Diagnostics;

/// The implementations for the type, and beside them every mistake in its marks.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    // A type with a mistake is implemented all the same, so that its uses do not go red as well.
    let parsed = parse::parse(input, &mut diagnostics);
    let judged = validate::validate(&parsed, &mut diagnostics);
    let expanded = expand::expand(&parsed, &judged);
    let errors = diagnostics.into_compile_errors();
    quote!(#expanded #errors)
}
