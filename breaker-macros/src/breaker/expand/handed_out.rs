//! Functions that hand out a future or a stream. The function itself runs when it is called, and so does what it does
//! before it makes the future; the call is admitted at the first poll.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Expr;

use super::Expansion;
use crate::breaker::shape::Shape;

impl Expansion<'_> {
    pub(super) fn opaque(&self) -> TokenStream {
        match Shape::of(self.function) {
            Shape::OpaqueFuture if self.args.fallback.is_some() || self.args.timeout.is_some() => {
                self.opaque_in_block()
            }
            _ => self.wrapped(self.args.fallback.as_ref()),
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
                (&__breaker_return).__breaker_kind()
            };
            let __breaker_result = #result;
            let __breaker_judge = #judge;
            #wrap
        }
    }

    fn opaque_in_block(&self) -> TokenStream {
        let private = &self.private;
        let closure = self.closure();
        let future = self.future_in_block();
        let ask = self.ask();
        quote_spanned! {Span::mixed_site()=>
            #ask
            let __breaker_body = #private::make(#closure);
            #future
        }
    }

    pub(super) fn boxed_in_block(&self) -> TokenStream {
        let private = &self.private;
        let closure = self.closure();
        let future = self.future_in_block();
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

    /// A fallback may await, and what a time limit ends has to be turned into an error.
    fn future_in_block(&self) -> TokenStream {
        match (&self.args.fallback, &self.args.timeout) {
            (Some(fallback), None) => self.call_or_fallback(fallback),
            (fallback, _) => self.limited(fallback.as_ref()),
        }
    }

    /// ```text
    /// with_fallback(circuit, &SITE, judge, body, move |open| async move { FALLBACK })
    /// ```
    fn call_or_fallback(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let (site, instead) = (self.site(), Self::fallback(fallback));
        let (judge, judged) =
            (self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return)), self.judge_at_return_type());
        let future = self.call_at_return_type(
            "with_fallback",
            quote_spanned! {Span::mixed_site()=>
                __breaker_circuit, #site, #judged, __breaker_body, move |__breaker_open| async move {
                    if false {
                        return __breaker_return.never();
                    }
                    #instead
                }
            },
        );
        quote_spanned! {Span::mixed_site()=>
            {
                let __breaker_return = #private::Returned::of(&__breaker_body).output();
                let __breaker_judge = #judge;
                #future
            }
        }
    }

    /// ```text
    /// async move {
    ///     let (is_rejected, admission) = is_rejected(admit_later(circuit, &SITE));
    ///     if is_rejected {
    ///         FALLBACK
    ///     } else {
    ///         in_time(LIMIT, run_async(let_in(admission), judge, timed(LIMIT, body)).await)
    ///     }
    /// }
    /// ```
    fn limited(&self, fallback: Option<&Expr>) -> TokenStream {
        let private = &self.private;
        let site = self.site();
        let instead = fallback.map_or_else(|| self.reject(), Self::fallback);
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let statements = quote_spanned! {Span::mixed_site()=>
            let __breaker_call = #private::let_in(__breaker_admission);
            let __breaker_judge = #judge;
        };
        let future = self.awaited(&statements, &quote_spanned!(Span::mixed_site()=> __breaker_body));
        quote_spanned! {Span::mixed_site()=>
                   async move {
                       let __breaker_return = #private::Returned::of(&__breaker_body).output();
                       if false {
                           return __breaker_return.never();
                       }
                       let (__breaker_is_rejected, __breaker_admission) =
        #private::is_rejected(#private::admit_later(__breaker_circuit, #site));
                       if __breaker_is_rejected {
                           let __breaker_open = #private::rejection_of(__breaker_admission);
                           #instead
                       } else {
                           #future
                       }
                   }
               }
    }
}
