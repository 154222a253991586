//! Expansion of a plain `fn`. Its return type decides whether it returns a result immediately or a box that is guarded
//! later.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Expr;

use super::Expansion;
use crate::breaker::signature::return_shape::Shape;

impl Expansion<'_> {
    pub(crate) fn plain(&self) -> TokenStream {
        match (&self.args.fallback, Shape::of(self.function)) {
            (_, Shape::Plain) if self.is_read_as_boxed_future() => self.boxed_in_block(),
            (_, Shape::Plain) if self.may_complete() => self.completed_at_once(),
            (Some(_), Shape::BoxedFuture) => self.boxed_in_block(),
            (None, Shape::BoxedFuture) if self.args.timeout.is_some() || self.is_read_as_boxed_future() => {
                self.boxed_in_block()
            }
            (None, _) => self.by_type(None),
            (Some(fallback), Shape::BoxedStream) => self.by_type(Some(fallback)),
            (Some(fallback), _) => self.at_once(fallback),
        }
    }

    /// ```text
    /// Input:   fn f(..) -> R { BODY }
    /// Output:  fn f(..) -> R {
    ///              let kind = kind_of::<R>();
    ///              let held = hold(&(CONNECTION), &(REGISTRY));
    ///              let judge = JUDGE;
    ///              let admission = admit_as(&kind, &held, &CALL_SITE);
    ///              match admission {
    ///                  Err(open) => reject_as(&kind, open),
    ///                  Ok(call) => run_as(&kind, call, judge, PassOn, move || BODY),
    ///              }
    ///          }
    /// ```
    ///
    /// The rejection comes first, so that a mismatch is reported for the fallback. It is the last expression of its
    /// branch, because it may diverge.
    ///
    /// The closure is passed directly, so that it is known to be called once and may return what it borrowed.
    fn by_type(&self, stream_fallback: Option<&Expr>) -> TokenStream {
        let private = &self.private;
        let kind = self.kind_at_return_type();
        let reject = quote_spanned!(Span::mixed_site()=> #kind, __breaker_open);
        let instead = match stream_fallback {
            None => self.pass_on_at_return_type(),
            Some(fallback) => {
                let item = self.fallback(fallback);
                quote_spanned!(Span::mixed_site()=> #private::by_fallback(__breaker_result, move |__breaker_open| #item))
            }
        };
        let function = if self.error_is_parameter() { "reject_parameter_as" } else { "reject_as" };
        self.run_by_type(&self.call_at_return_type(function, reject), &instead, &TokenStream::new())
    }

    /// The same, with `FALLBACK` for the rejection.
    fn at_once(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let check = self.call_at_return_type("returns_immediately", self.kind_at_return_type());
        self.run_by_type(
            &self.fallback(fallback),
            &quote_spanned!(Span::mixed_site()=> #private::InlinedFallback),
            &quote_spanned!(Span::mixed_site()=> #check;),
        )
    }

    /// The same for a value of a hidden type, in `Result<impl Trait, E>`: see [`Expansion::awaited_and_completed`].
    fn completed_at_once(&self) -> TokenStream {
        let private = &self.private;
        let (held, site, closure) = (self.held(), self.call_site(), self.closure());
        let (hidden, completion) = (self.hidden_result(), self.completion());
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_hidden));
        let judged = self.judge_at_return_type();
        let run = self.call_at_return_type(
            "run_hidden",
            quote_spanned!(Span::mixed_site()=> __breaker_completion, __breaker_call, &#judged, __breaker_body),
        );
        let (instead, settles) = (self.completed_rejection(), self.settles_by_judge());
        quote_spanned! {Span::mixed_site()=>
            #hidden
            let __breaker_held = #held;
            let __breaker_judge = #judge;
            let (__breaker_is_rejected, __breaker_admission) = #private::is_rejected(
                __breaker_held.admit(|| #site)
            );
            return if !__breaker_is_rejected {
                let __breaker_call = #private::admitted(__breaker_admission);
                let __breaker_body = #private::hidden_body(__breaker_hidden, #closure);
                #completion
                let __breaker_judge = #private::complete_judge(__breaker_completion, __breaker_judge);
                #settles
                #run
            } else {
                let __breaker_open = #private::rejection_of(__breaker_admission);
                #instead
            };
        }
    }

    fn run_by_type(&self, rejection: &TokenStream, instead: &TokenStream, check: &TokenStream) -> TokenStream {
        let private = &self.private;
        let (held, site, closure) = (self.held(), self.call_site(), self.closure());
        let (kind, judged) = (self.kind_at_return_type(), self.judge_at_return_type());
        let run = self.call_at_return_type(
            "run_as",
            quote_spanned!(Span::mixed_site()=> #kind, __breaker_call, #judged, #instead, #closure),
        );
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_result));
        let settles = self.settles_by_kind();
        // The compiler reports errors about lifetimes at the returned expression.
        let outcome = self.returned.cover(quote_spanned! {Span::mixed_site()=>
            match __breaker_admission {
                #private::Err(__breaker_open) => #rejection,
                #private::Ok(__breaker_call) => #run,
            }
        });
        quote_spanned! {Span::mixed_site()=>
            let __breaker_return = #private::Returned::new();
            if false {
                return __breaker_return.never();
            }
            let __breaker_kind = {
                use #private::kinds::by_type::*;
                (&__breaker_return).__breaker_kind()
            };
            #check
            let __breaker_held = #held;
            let __breaker_result = #private::result_of(&__breaker_kind);
            let __breaker_judge = #judge;
            #settles
            let __breaker_admission = #private::admit_as(&__breaker_kind, &__breaker_held, #site);
            return #outcome;
        }
    }
}
