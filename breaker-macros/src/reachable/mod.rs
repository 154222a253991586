//! `#[derive(ProvesReachable)]`: parsing of the type and its marks, validation of each mark, expansion.

mod expand;
mod foreign_paths;
mod foreign_types;
mod http_status;
mod naming;
mod parse;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::diagnostics::Diagnostics;

/// Returns the implementations for the type, and an error for every mistake in its marks.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    // A type with a mistake is implemented anyway, so that its uses do not cause further errors.
    let parsed = parse::parse(input, &mut diagnostics);
    let judged = validate::validate(&parsed, &mut diagnostics);
    let expanded = expand::expand(&parsed, &judged);
    let errors = diagnostics.into_compile_errors();
    quote!(#expanded #errors)
}
