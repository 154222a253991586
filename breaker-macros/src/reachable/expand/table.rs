//! The table of marks, and in it the check of the statuses that are constants.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::places::ends;
use crate::reachable::status_argument::Status;
use crate::reachable::types::is_primitive;
use crate::reachable::validate::{Excuse, Judged, Proof};

pub(super) fn rows(judged: &[Judged<'_>], support: &TokenStream) -> TokenStream {
    let rows = judged.iter().map(|judged| row(judged, support));
    quote!(#(#rows),*)
}

/// One row of the table of marks. A tuple of literals costs the compiler least.
fn row(judged: &Judged<'_>, support: &TokenStream) -> TokenStream {
    let name = judged.variant.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let evidence = match &judged.proof {
        Proof::Answer => quote!(#support::ANSWERED),
        Proof::Unknown => quote!(#support::UNKNOWN),
        Proof::ByStatus(_) | Proof::Transparent(_) => quote!(#support::BY_VALUE),
        Proof::Failure => {
            let types: Vec<_> =
                judged.variant.fields.iter().map(|field| field.ty).filter(|ty| !is_primitive(ty)).collect();
            if types.is_empty() {
                quote!(#support::FAILED)
            } else {
                quote!(#support::failed(#(#support::Rejection::<#types>::ask().__breaker_held())||*))
            }
        }
    };
    let reason = judged.because.map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let statuses = statuses(judged, support);
    quote!((#name, #evidence, #statuses, #reason))
}

/// The statuses of a mark; constants among them are checked as the constant is evaluated, which is always.
fn statuses(judged: &Judged<'_>, support: &TokenStream) -> TokenStream {
    let codes = judged.statuses.iter().map(|status| match status {
        Status::Literal(code, _) => code.to_token_stream(),
        Status::Constant(expr) => {
            let excuse = match judged.excuse {
                Excuse::Missing => quote!(Missing),
                Excuse::Needed => quote!(Needed),
                Excuse::ForStatus => quote!(ForStatus),
            };
            let (start, end) = ends(expr);
            let check = quote_spanned!(start=> __breaker_marks::checked);
            let arguments = quote_spanned! {end=>
                (
                    __breaker_marks::StatusGivenAs(#expr).must_be_u16_or_http_status_code(),
                    __breaker_marks::Reason::#excuse,
                )
            };
            quote!(#check #arguments)
        }
    });
    if judged.statuses.is_empty() {
        return quote!(&[]);
    }
    let support = judged
        .statuses
        .iter()
        .any(|status| matches!(status, Status::Constant(_)))
        .then(|| quote!(use #support as __breaker_marks;));
    quote!({
        #support
        const __BREAKER_STATUSES: &[u16] = &[#(#codes),*];
        __BREAKER_STATUSES
    })
}
