//! Functions that hand out a future or a stream. The function itself runs when it is called, and so does what it does
//! before it makes the future; the call is admitted at the first poll.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Expr;

use super::Expansion;
use crate::breaker::shape::Shape;

impl Expansion<'_> {
    pub(super) fn opaque(&self) -> TokenStream {
        match (&self.args.fallback, Shape::of(self.function)) {
            (Some(fallback), Shape::OpaqueFuture) => self.opaque_with_fallback(fallback),
            (fallback, _) => self.wrapped(fallback.as_ref()),
        }
    }

    /// ```text
    /// Input:   fn f(..) -> impl Future<Output = R> { BODY }
    /// Output:  fn f(..) -> impl Future<Output = R> {
    ///              let circuit = own(hold(&(CONNECTION), &(REGISTRY)));
    ///              let body = make(move || BODY);
    ///              wrap(&kind_of(&body), circuit, &SITE, judge, PassOn, body)
    ///          }
    /// ```
    fn wrapped(&self, stream_fallback: Option<&Expr>) -> TokenStream {
        let private = &self.private;
        let (held, site, closure) = (self.held(), self.site(), self.closure());
        let instead = match stream_fallback {
            None => self.pass_on_at_return_type(),
            Some(fallback) => {
                let item = Self::fallback(fallback);
                quote_spanned!(Span::mixed_site()=> #private::by_fallback(__breaker_result, move |__breaker_open| #item))
            }
        };
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_result));
        let (kind, judged) = (self.kind_at_return_type(), self.judge_at_return_type());
        let wrap = self.call_at_return_type(
            "wrap",
            quote_spanned!(Span::mixed_site()=> #kind, __breaker_circuit, #site, #judged, #instead, __breaker_body),
        );
        let result = self.call_at_return_type("result_of_body", self.kind_at_return_type());
        quote_spanned! {Span::mixed_site()=>
            let __breaker_circuit = #private::own(#held);
            let __breaker_body = #private::make(#closure);
            let __breaker_kind = {
                use #private::kinds::by_value::*;
                let __breaker_return = #private::Returned::of(&__breaker_body);
                (&__breaker_return).kind()
            };
            let __breaker_result = #result;
            let __breaker_judge = #judge;
            #wrap
        }
    }

    fn opaque_with_fallback(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let closure = self.closure();
        let future = self.future_with_fallback(fallback);
        let ask = self.ask();
        quote_spanned! {Span::mixed_site()=>
            #ask
            let __breaker_body = #private::make(#closure);
            #future
        }
    }

    pub(super) fn boxed_with_fallback(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let closure = self.closure();
        let future = self.future_with_fallback(fallback);
        let ask = self.ask();
        quote_spanned! {Span::mixed_site()=>
            #ask
            let __breaker_return = #private::Returned::new();
            if false {
                return __breaker_return.never();
            }
            let __breaker_body = #private::make_as(__breaker_return, #closure);
            #private::pin(#future)
        }
    }

    fn ask(&self) -> TokenStream {
        let private = &self.private;
        let held = self.held();
        quote_spanned!(Span::mixed_site()=> let __breaker_circuit = #private::own(#held);)
    }

    /// The fallback may await, and so the whole is a block that does.
    ///
    /// ```text
    /// async move {
    ///     let call = match admit_later(circuit, &SITE) {
    ///         Ok(call) => call,
    ///         Err(open) => return FALLBACK,
    ///     };
    ///     run_async(call, judge, body).await
    /// }
    /// ```
    fn future_with_fallback(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let judged = self.judge_at_return_type();
        let run = self.call_at_return_type(
            "run_async",
            quote_spanned!(Span::mixed_site()=> __breaker_call, #judged, __breaker_body),
        );
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let (site, instead) = (self.site(), Self::fallback(fallback));
        let future = quote_spanned! {Span::mixed_site()=>
                    let __breaker_return = #private::Returned::of(&__breaker_body).output();
                    let __breaker_call = match #private::admit_later(__breaker_circuit, #site) {
                        #private::Ok(__breaker_call) => __breaker_call,
                        #private::Err(__breaker_open) => {
                            if false {
                                return __breaker_return.never();
                            }
                            return #instead
                        }
                    };
                    let __breaker_judge = #judge;
                    #run
        };
        let future = self.awaited(future);
        quote_spanned!(Span::mixed_site()=> async move { #future })
    }
}
