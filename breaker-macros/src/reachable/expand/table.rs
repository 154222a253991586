//! The table of marks, and in it the check of the statuses that are constants.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::places::ends;
use crate::reachable::status_argument::Status;
use crate::reachable::types::is_primitive;
use crate::reachable::validate::{Judged, Proof};

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

/// The statuses of a mark. Constants among them are checked as this one is evaluated, which is always.
fn statuses(judged: &Judged<'_>, support: &TokenStream) -> TokenStream {
    if judged.statuses.is_empty() {
        return quote!(&[]);
    }
    let has_reason = judged.because.is_some();
    let codes = judged.statuses.iter().map(|status| match status {
        Status::Literal(code, _) => code.to_token_stream(),
        Status::Constant(expr) => {
            let (start, end) = ends(expr);
            let check = quote_spanned!(start=> __breaker_marks::checked);
            let status = quote_spanned!(end=> __breaker_marks::StatusGivenAs(#expr).must_be_u16_or_http_status_code());
            let arguments = quote_spanned!(end=> (#status, #has_reason));
            quote!(#check #arguments)
        }
    });
    let is_open = judged.statuses.iter().any(|status| matches!(status, Status::Constant(_)));
    let short_name = is_open.then(|| quote!(use #support as __breaker_marks;));
    let check = judged.reason_for_constants.map(|because| {
        let span = ends(because).0;
        quote_spanned!(span=> const _: () = __breaker_marks::reason_is_needed(__BREAKER_STATUSES);)
    });
    quote!({
        #short_name
        const __BREAKER_STATUSES: &[u16] = &[#(#codes),*];
        #check
        __BREAKER_STATUSES
    })
}
