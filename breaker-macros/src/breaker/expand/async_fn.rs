//! Expansion of an `async fn`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote_spanned};
use syn::Expr;

use super::Expansion;
use crate::breaker::signature::opaque_value::mentions_impl;

impl Expansion<'_> {
    /// ```text
    /// Input:   async fn f(..) -> R { BODY }
    /// Output:  async fn f(..) -> R {
    ///              let held = hold(&(CONNECTION), &(REGISTRY));
    ///              {
    ///                  let judge = JUDGE;
    ///                  let call = match admit(&held, &CALL_SITE) {
    ///                      Ok(call) => call,
    ///                      Err(open) => return reject(open),
    ///                  };
    ///                  run_async(call, judge, async move { BODY })
    ///              }
    ///              .await
    ///          }
    /// ```
    ///
    /// The judge is evaluated before admission, because it is an expression of the user's: if it panics or returns,
    /// there is no call yet whose slot could leak.
    ///
    /// With a fallback, which may diverge, the fallback is the last expression of its branch:
    ///
    /// ```text
    ///              let judge = JUDGE;
    ///              let (is_rejected, admission) = is_rejected(admit(&held, &CALL_SITE));
    ///              if is_rejected {
    ///                  FALLBACK
    ///              } else {
    ///                  { run_async(admitted(admission), judge, async move { BODY }) }.await
    ///              }
    /// ```
    ///
    /// With a timeout, the body runs through `run_in_time(call, judge, LIMIT, ..)`.
    pub(crate) fn asynchronous(&self) -> TokenStream {
        let held = self.held_by_type();
        let call = match &self.args.fallback {
            _ if self.may_complete() => self.awaited_and_completed(),
            None => self.awaited_or_rejected(),
            Some(fallback) => self.awaited_or_fallback(fallback),
        };
        quote_spanned! {Span::mixed_site()=>
            let __breaker_held = #held;
            #call
        }
    }

    fn awaited_or_rejected(&self) -> TokenStream {
        let private = &self.private;
        let (site, reject) = (self.call_site(), self.reject());
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let (returned, settles) = (self.returned_type(), self.settles_by_judge());
        let statements = quote_spanned! {Span::mixed_site()=>
            let __breaker_return = #returned;
            if false {
                return __breaker_return.never();
            }
            let __breaker_judge = #judge;
            #settles
            let __breaker_call = match __breaker_held.admit(|| #site) {
                #private::Ok(__breaker_call) => __breaker_call,
                #private::Err(__breaker_open) => return #reject,
            };
        };
        let future = self.awaited(&statements, &self.asynchronous_block());
        quote_spanned!(Span::mixed_site()=> return #future;)
    }

    fn awaited_or_fallback(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let (site, instead) = (self.call_site(), self.fallback(fallback));
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let statements = quote_spanned! {Span::mixed_site()=>
            let __breaker_call = #private::admitted(__breaker_admission);
        };
        let future = self.awaited(&statements, &self.asynchronous_block());
        let (returned, settles) = (self.returned_type(), self.settles_by_judge());
        quote_spanned! {Span::mixed_site()=>
            let __breaker_return = #returned;
            if false {
                return __breaker_return.never();
            }
            let __breaker_judge = #judge;
            #settles
            let (__breaker_is_rejected, __breaker_admission) = #private::is_rejected(
                __breaker_held.admit(|| #site)
            );
            return if __breaker_is_rejected {
                let __breaker_open = #private::rejection_of(__breaker_admission);
                #instead
            } else {
                #future
            };
        }
    }

    /// ```text
    /// Input:   async fn f(..) -> Result<impl Trait, E> { BODY }
    /// Output:  async fn f(..) -> Result<impl Trait, E> {
    ///              let held = hold(&(CONNECTION), &(REGISTRY));
    ///              let judge = JUDGE;
    ///              let (is_rejected, admission) = is_rejected(admit(&held, &CALL_SITE));
    ///              if !is_rejected {
    ///                  {
    ///                      let body = async move { BODY };
    ///                      let completion = completion_of(&body);
    ///                      run_async(admitted(admission), complete_judge(judge), complete_body(body))
    ///                  }
    ///                  .await
    ///              } else {
    ///                  reject(open)
    ///              }
    ///          }
    /// ```
    ///
    /// The completion is chosen by the type of the value, which the compiler infers from the body. So the body comes first,
    /// and a fallback, which is completed too, after it.
    fn awaited_and_completed(&self) -> TokenStream {
        let private = &self.private;
        let site = self.call_site();
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_hidden));
        let completion = self.completion();
        let body = self.asynchronous_block_for(&quote_spanned!(Span::mixed_site()=> __breaker_hidden));
        let (hidden, settles) = (self.hidden_result(), self.settles_by_judge());
        let statements = quote_spanned! {Span::mixed_site()=>
            let __breaker_call = #private::admitted(__breaker_admission);
            let __breaker_body = #body;
            #completion
            if false {
                return #private::completed(__breaker_completion).never();
            }
            let __breaker_judge = #private::complete_judge(__breaker_completion, __breaker_judge);
            #settles
        };
        let future = self.awaited(
            &statements,
            &quote_spanned!(Span::mixed_site()=> #private::complete_body(__breaker_completion, __breaker_body)),
        );
        let instead = self.completed_rejection();
        quote_spanned! {Span::mixed_site()=>
            #hidden
            let __breaker_judge = #judge;
            let (__breaker_is_rejected, __breaker_admission) = #private::is_rejected(
                __breaker_held.admit(|| #site)
            );
            return if !__breaker_is_rejected {
                #future
            } else {
                let __breaker_open = #private::rejection_of(__breaker_admission);
                #instead
            };
        }
    }

    /// Names the return type as far as it can be written in a body. For an `impl Trait`, a `return` connects the type.
    ///
    /// It is declared before the `return`, because a type that does not exist (a misspelled error) would otherwise be
    /// inferred from elsewhere and cause a second error. Other macros may also wrap everything in a block whose type is
    /// inferred too late (`#[tokio::main]`).
    fn returned_type(&self) -> TokenStream {
        let private = &self.private;
        match self.function.returned() {
            Some(ty) if !mentions_impl(ty) => {
                let ty = unnamed_lifetimes(ty.to_token_stream());
                quote_spanned!(Span::mixed_site()=> #private::Returned::<#ty>::new())
            }
            _ => quote_spanned!(Span::mixed_site()=> #private::Returned::new()),
        }
    }

    /// Builds the future of the body. Its first statement connects the type, which the compiler does not infer from the
    /// context.
    fn asynchronous_block(&self) -> TokenStream {
        self.asynchronous_block_for(&quote_spanned!(Span::mixed_site()=> __breaker_return))
    }

    fn asynchronous_block_for(&self, returned: &TokenStream) -> TokenStream {
        let body = &self.body;
        let mentions = self.captures.mentioned_backwards();
        let block = self.block_at_body(quote_spanned! {Span::mixed_site()=>
            if false {
                #mentions
                return #returned.never();
            }
            match () { () => #body }
        });
        quote_spanned!(self.place_of_body()=> async move #block)
    }
}

/// Replaces lifetimes of a type by `'_`, so that the lint `single_use_lifetimes` does not report a lifetime that the body names.
pub(super) fn unnamed_lifetimes(ty: TokenStream) -> TokenStream {
    let has_for_binder = |tree: &TokenTree| matches!(tree, TokenTree::Ident(ident) if ident == "for");
    if ty.clone().into_iter().any(|tree| has_for_binder(&tree)) {
        return ty;
    }
    let mut after_tick = false;
    ty.into_iter()
        .map(|tree| match tree {
            TokenTree::Group(group) => {
                let mut unnamed = Group::new(group.delimiter(), unnamed_lifetimes(group.stream()));
                unnamed.set_span(group.span());
                unnamed.into()
            }
            TokenTree::Ident(name) if std::mem::take(&mut after_tick) && name != "static" => {
                Ident::new("_", name.span()).into()
            }
            other => {
                after_tick = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}
