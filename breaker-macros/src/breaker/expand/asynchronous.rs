//! `async fn`.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::Expansion;
use crate::breaker::bindings::mention_backwards;

impl Expansion<'_> {
    /// ```text
    /// Input:   async fn f(..) -> R { BODY }
    /// Output:  async fn f(..) -> R {
    ///              let held = hold(&(CONNECTION), &(REGISTRY));
    ///              {
    ///                  let call = match admit(&held, &SITE) {
    ///                      Ok(call) => call,
    ///                      Err(open) => return reject(open),
    ///                  };
    ///                  run_async(call, judge, async move { BODY })
    ///              }
    ///              .await
    ///          }
    /// ```
    ///
    /// With a time limit it is `in_time(LIMIT, { .. run_async(call, timed_judge(judge), timed(LIMIT, ..)) }.await)`.
    pub(super) fn asynchronous(&self) -> TokenStream {
        let private = &self.private;
        let (held, site, instead) = (self.held(), self.site(), self.instead());
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let statements = quote_spanned! {Span::mixed_site()=>
            let __breaker_return = #private::Returned::new();
            let __breaker_call = match #private::admit(&__breaker_held, #site) {
                #private::Ok(__breaker_call) => __breaker_call,
                #private::Err(__breaker_open) => {
                    if false {
                        return __breaker_return.never();
                    }
                    return #instead
                }
            };
            let __breaker_judge = #judge;
        };
        let future = self.awaited(&statements, &self.asynchronous_block());
        quote_spanned! {Span::mixed_site()=>
            let __breaker_held = #held;
            #future
        }
    }

    /// The body as a future. Its first statement ties the type, which the compiler does not take from the surroundings.
    fn asynchronous_block(&self) -> TokenStream {
        let body = &self.body;
        let mentions = mention_backwards(&self.function.sig, body, self.args);
        quote_spanned! {Span::mixed_site()=>
            async move {
                if false {
                    #mentions
                    return __breaker_return.never();
                }
                match () { () => #body }
            }
        }
    }
}
