//! `async fn`.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
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
    /// The inner block ends before the future is awaited, so that the call lives in the future alone.
    pub(super) fn asynchronous(&self) -> TokenStream {
        let private = &self.private;
        let (held, site) = (self.held(), self.site());
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let (block, judged) = (self.asynchronous_block(), self.judge_at_return_type());
        let run =
            self.call_at_return_type("run_async", quote_spanned!(Span::mixed_site()=> __breaker_call, #judged, #block));
        let instead = match &self.args.fallback {
            Some(fallback) => Self::fallback(fallback),
            None => self.call_at_return_type("reject", quote_spanned!(Span::mixed_site()=> __breaker_open)),
        };
        let future = quote_spanned! {Span::mixed_site()=>
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
                #run
        };
        let future = self.awaited(future);
        quote_spanned! {Span::mixed_site()=>
            let __breaker_held = #held;
            #future
        }
    }

    /// Awaits the value of these statements. Awaiting demands of the return type what making the future demanded; at the
    /// same place, so that the compiler says it once.
    pub(super) fn awaited(&self, statements: TokenStream) -> TokenStream {
        let block = TokenTree::Group(Group::new(Delimiter::Brace, statements));
        self.returned.cover(quote_spanned!(Span::mixed_site()=> #block.await))
    }

    /// The body as a future. Its first statement ties the type, which the compiler does not take from the surroundings.
    fn asynchronous_block(&self) -> TokenStream {
        let (body, bindings) = (&self.body, &self.rebound.bindings);
        let mentions = mention_backwards(&self.rebound.sig, body);
        quote_spanned! {Span::mixed_site()=>
            async move {
                if false {
                    #mentions
                    return __breaker_return.never();
                }
                #bindings
                match () { () => #body }
            }
        }
    }
}
