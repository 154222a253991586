//! Expansion of the derive.
//!
//! ```text
//! Input:
//!     enum ContactError { #[reachable(status = 404)] NotFound(u64), Http(HttpError) }
//!
//! Output:
//!     impl ProvesReachable for ContactError {
//!         fn evidence(&self) -> Evidence {
//!             if passes_on(self) { return Evidence::Unknown; }
//!             match self { Self::NotFound { .. } => Evidence::Answered, Self::Http { .. } => Evidence::Failed }
//!         }
//!         fn rejection(&self) -> FoundRejection<'_> {
//!             source_rejection(self).or_else(|| match self { Self::NotFound { 0: a } => /* ask `a` */, .. })
//!         }
//!         fn evidence_regards_rejection(&self) -> bool { true }
//!         fn transport_fault(&self) -> FieldFault {
//!             match self { Self::Http { 0: a } => /* ask `a` */, Self::NotFound { .. } => None }
//!         }
//!     }
//!     impl Marked for ContactError { /* the table, and the checks of the types under a mark */ }
//!     impl ProvesNothing for ContactError {} // where it is marked `never`
//! ```
//!
//! Every path is absolute, and every question about a type is an inherent method, so that names in the user's scope
//! never change the meaning.

mod evidence;
mod marks_table;
mod transport_fault;
mod type_checks;
mod type_names;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{WherePredicate, parse_quote};

use super::parse::Input;
use super::validate::JudgedVariant;
use crate::syntax::expansion_spans::of_derive;

/// Builds the implementations for a type. A mark that was refused has no evidence here.
pub(crate) fn expand(input: &Input<'_>, judged: &[JudgedVariant<'_>]) -> TokenStream {
    let krate = input.krate();
    let support = quote!(#krate::__private::marks);
    let bodies = Bodies {
        evidence: evidence::evidence(input, judged, &krate, &support),
        rejection: evidence::rejection(input, &support),
        fault: transport_fault::fault(input, judged, &support),
        names: type_names::checks(judged, &support),
        rows: marks_table::rows(input, judged, &support),
        carried: type_checks::carried(judged, &support),
    };
    implementations(input, &krate, &bodies, type_checks::bounds(judged, &krate, &support))
}

struct Bodies {
    evidence: TokenStream,
    rejection: TokenStream,
    /// `None` where no variant has a field to ask.
    fault: Option<TokenStream>,
    names: TokenStream,
    rows: TokenStream,
    carried: TokenStream,
}

fn implementations(input: &Input<'_>, krate: &TokenStream, bodies: &Bodies, extra: Vec<WherePredicate>) -> TokenStream {
    let support = quote!(#krate::__private::marks);
    // In other cases an error about the whole type reads better at its name.
    let ident = if input.is_deprecated { of_derive(input.ident) } else { input.ident.to_token_stream() };
    let mut generics = input.generics.clone();
    let is_generic = generics.type_params().next().is_some();
    if !extra.is_empty() || is_generic {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.extend(extra);
        if is_generic {
            // The supertrait `Error`: its implementation may have bounds, which are copied.
            predicates.push(parse_quote!(Self: ::core::error::Error));
        }
    }
    let (for_impl, for_type, clause) = generics.split_for_impl();
    let Bodies { evidence, rejection, fault, names, rows, carried } = bodies;
    // A generic type is a different type for each of its users, so it cannot be registered.
    let registration = input.generics.params.is_empty().then(|| {
        let register = quote!(#krate::__private::register_marked!);
        // Code in a macro no longer counts as written by the derive.
        if input.is_deprecated {
            quote!(const _: () = { type __BreakerMarked = #ident; #register { __BreakerMarked } };)
        } else {
            quote!(#register { #ident })
        }
    });
    let proves_nothing = input.proves_nothing().then(|| {
        quote! {
            #[automatically_derived]
            impl #for_impl #support::ProvesNothing for #ident #for_type #clause {}
        }
    });
    let fault = fault.as_ref().map(|fault| {
        quote! {
            fn transport_fault(&self) -> #support::FieldFault {
                #fault
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #for_impl #krate::ProvesReachable for #ident #for_type #clause {
            fn evidence(&self) -> #krate::Evidence {
                #evidence
            }

            fn rejection(&self) -> #support::FoundRejection<'_> {
                #rejection
            }

            #[inline]
            fn evidence_regards_rejection(&self) -> bool {
                true
            }

            #fault
        }

        #[automatically_derived]
        impl #for_impl #support::Marked for #ident #for_type #clause {
            fn marks() -> #support::Rows {
                #names
                #support::rows([#rows])
            }

            fn carried() {
                #carried
            }
        }

        #proves_nothing

        #registration
    }
}
