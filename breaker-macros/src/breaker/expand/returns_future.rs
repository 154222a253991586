//! Expansion of functions that return a future or a stream. The function itself runs when it is called, including the
//! statements before it makes the future. The call is admitted at the first poll.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote_spanned};
use syn::{Attribute, Expr, Type, TypeParamBound};

use super::Expansion;
use super::async_fn::unnamed_lifetimes;
use crate::breaker::parse::function::braces;
use crate::breaker::signature::opaque_value::mentions_impl;
use crate::breaker::signature::return_shape::Shape;
use crate::syntax::spans::{SpanRange, associated_type};

impl Expansion<'_> {
    pub(crate) fn opaque(&self) -> TokenStream {
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
    ///              let circuit = into_circuit(hold(&(CONNECTION), &(REGISTRY)));
    ///              let body = make(move || BODY);
    ///              if false { return guarded(&kind_of(&body)).never() }
    ///              wrap(&kind_of(&body), circuit, &CALL_SITE, judge, PassOn, body)
    ///          }
    /// ```
    fn wrapped(&self, stream_fallback: Option<&Expr>) -> TokenStream {
        if Shape::of(self.function) == Shape::OpaqueFuture && self.may_complete() {
            return self.wrapped_and_completed();
        }
        let private = &self.private;
        let (held, site, closure) = (self.held(), self.call_site(), self.closure());
        let result = quote_spanned!(Span::mixed_site()=> __breaker_result);
        let (instead, judge) = match stream_fallback {
            None => (self.pass_on_at_return_type(), self.unchecked_judge(&result)),
            Some(fallback) => {
                let item = self.fallback(fallback);
                let instead =
                    quote_spanned!(Span::mixed_site()=> #private::by_fallback(#result, move |__breaker_open| #item));
                (instead, self.judge(&result))
            }
        };
        let judge = quote_spanned!(Span::mixed_site()=> let __breaker_judge = #judge;);
        let of_body = self.call_at_return_type("result_of_body", self.kind_at_return_type());
        let (early, late) = self.before_or_after_body(&result, of_body, &judge);
        let (kind, judged) = (self.kind_at_return_type(), self.judge_at_return_type());
        let wrap = self.call_at_return_type(
            "wrap",
            quote_spanned!(Span::mixed_site()=> #kind, __breaker_circuit, #site, #judged, #instead, __breaker_body),
        );
        let tie = self.connect_return_type("guarded", &self.kind_at_return_type());
        let settles = self.settles_by_kind();
        quote_spanned! {Span::mixed_site()=>
            let __breaker_circuit = #private::into_circuit(#held);
            #early
            let __breaker_body = #private::make(#closure);
            let __breaker_kind = {
                use #private::kinds::by_value::*;
                let __breaker_return = #private::Returned::of(&__breaker_body);
                (&__breaker_return).__breaker_kind()
            };
            #tie
            #late
            #settles
            return #wrap;
        }
    }

    /// The same for `impl Future<Output = Result<impl Trait, E>>`: see [`Expansion::awaited_and_completed`].
    fn wrapped_and_completed(&self) -> TokenStream {
        let private = &self.private;
        let (held, site) = (self.held(), self.call_site());
        let (kind, judged) = (self.kind_at_return_type(), self.judge_at_return_type());
        let instead = self.pass_on_at_return_type();
        let wrap = self.call_at_return_type(
            "wrap",
            quote_spanned!(Span::mixed_site()=> #kind, __breaker_circuit, #site, #judged, #instead, __breaker_body),
        );
        let body = self.completed_body();
        quote_spanned! {Span::mixed_site()=>
            let __breaker_circuit = #private::into_circuit(#held);
            #body
            let __breaker_kind = {
                use #private::kinds::by_value::*;
                let __breaker_return = #private::Returned::of(&__breaker_body);
                (&__breaker_return).__breaker_kind()
            };
            return #wrap;
        }
    }

    /// Makes the future of the body, and completes its result and the judge.
    fn completed_body(&self) -> TokenStream {
        let private = &self.private;
        let closure = self.closure();
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_hidden));
        let (completion, settles) = (self.completion(), self.settles_by_judge());
        quote_spanned! {Span::mixed_site()=>
            let __breaker_body = #private::make(#closure);
            let __breaker_hidden = #private::Returned::of(&__breaker_body).output();
            let __breaker_judge = #judge;
            #completion
            let __breaker_judge = #private::complete_judge(__breaker_completion, __breaker_judge);
            #settles
            let __breaker_body = #private::complete_body(__breaker_completion, __breaker_body);
        }
    }

    /// Builds the statements that bind a placeholder for the result and evaluate the judge, for before the body and for after
    /// it.
    ///
    /// If the return type names the result, they come before the body, which takes the arguments of the function. Otherwise
    /// the type of the body has to be known first.
    fn before_or_after_body(
        &self,
        name: &TokenStream,
        of_body: TokenStream,
        judge: &TokenStream,
    ) -> (TokenStream, TokenStream) {
        let named = self.result_type();
        let is_named = named.is_some();
        let result = named.unwrap_or(of_body);
        let statements = quote_spanned!(Span::mixed_site()=> let #name = #result; #judge);
        if is_named { (statements, TokenStream::new()) } else { (TokenStream::new(), statements) }
    }

    /// Builds a placeholder for the result of the future, or the item of the stream, if the return type names it.
    fn result_type(&self) -> Option<TokenStream> {
        let private = &self.private;
        let result = result_of_opaque(self.function.returned()?).filter(|result| !mentions_impl(result))?;
        let result = unnamed_lifetimes(result.to_token_stream());
        Some(quote_spanned!(Span::mixed_site()=> #private::Returned::<#result>::new()))
    }

    fn opaque_in_block(&self) -> TokenStream {
        let private = &self.private;
        let completes = self.may_complete();
        let future = self.future_in_block(completes);
        let ask = self.bind_circuit();
        let (early, body, late) = if completes {
            let late = quote_spanned!(Span::mixed_site()=> let __breaker_return = #private::Returned::of(&__breaker_body).output(););
            (TokenStream::new(), self.completed_body(), late)
        } else {
            let (closure, judge) = (self.closure(), self.bind_judge());
            let body = quote_spanned!(Span::mixed_site()=> let __breaker_body = #private::make(#closure););
            let result = quote_spanned!(Span::mixed_site()=> __breaker_return);
            let of_body = quote_spanned!(Span::mixed_site()=> #private::Returned::of(&__breaker_body).output());
            let (early, late) = self.before_or_after_body(&result, of_body, &judge);
            (early, body, late)
        };
        let function = if self.args.timeout.is_some() { "timed_call" } else { "call_or_fallback" };
        let tie = self.connect_return_type(function, &quote_spanned!(Span::mixed_site()=> &__breaker_body));
        quote_spanned! {Span::mixed_site()=>
            #ask
            #early
            #body
            #tie
            #late
            return #future;
        }
    }

    /// ```text
    /// Input:   fn f(..) -> Pin<Box<dyn Future<Output = R>>> { BODY }
    /// Output:  fn f(..) -> Pin<Box<dyn Future<Output = R>>> {
    ///              let circuit = into_circuit(hold(&(CONNECTION), &(REGISTRY)));
    ///              let body = make_as(return, move || BODY);
    ///              pin(with_fallback(..))
    ///          }
    /// ```
    ///
    /// If another macro reads the function after this one, it ends with `Box::pin(async move { with_fallback(..).await
    /// })`. Such macros recognise by this form what `async-trait` made of an `async fn`, and instrument the future
    /// instead of its creation. They also give variables of their own the span of the block, so the block has the span
    /// of the call site, where all attributes share their names.
    pub(crate) fn boxed_in_block(&self) -> TokenStream {
        let private = &self.private;
        let closure = self.closure();
        let future = self.future_in_block(false);
        let boxed = if self.is_read_as_boxed_future() {
            let awaited = self.returned.cover(quote_spanned!(Span::mixed_site()=> #future.await));
            let mut block = Group::new(Delimiter::Brace, awaited);
            block.set_span(Span::call_site());
            quote_spanned!(Span::mixed_site()=> #private::Box::pin(async move #block))
        } else {
            quote_spanned!(Span::mixed_site()=> return #private::pin(#future);)
        };
        let (ask, judge) = (self.bind_circuit(), self.bind_judge());
        quote_spanned! {Span::mixed_site()=>
            #ask
            let __breaker_box = #private::Returned::new();
            if false {
                return __breaker_box.never();
            }
            let __breaker_return = __breaker_box.output();
            #judge
            let __breaker_body = #private::make_as(__breaker_box, #closure);
            #boxed
        }
    }

    /// Whether another macro reads the function after this one and looks for a boxed future at its end.
    pub(crate) fn is_read_as_boxed_future(&self) -> bool {
        let is_boxed = match Shape::of(self.function) {
            Shape::BoxedFuture => true,
            // Behind an alias, as far as the body shows it.
            Shape::Plain => ends_in_boxed_future(&self.body),
            _ => false,
        };
        is_boxed && self.function.attrs.iter().any(is_macro)
    }

    /// Connects the output of the body with the return type before a judge is chosen by it, because `Ok(1)` alone
    /// leaves the error type open.
    fn connect_return_type(&self, function: &str, argument: &TokenStream) -> TokenStream {
        let function = self.call_at_return_type(function, argument.clone());
        quote_spanned! {Span::mixed_site()=>
            if false {
                return #function.never();
            }
        }
    }

    fn bind_circuit(&self) -> TokenStream {
        let private = &self.private;
        let held = self.held();
        quote_spanned!(Span::mixed_site()=> let __breaker_circuit = #private::into_circuit(#held);)
    }

    /// Evaluates the judge before the body takes the arguments of the function.
    fn bind_judge(&self) -> TokenStream {
        let judge = self.judge(&quote_spanned!(Span::mixed_site()=> __breaker_return));
        let settles = self.settles_by_judge();
        quote_spanned!(Span::mixed_site()=> let __breaker_judge = #judge; #settles)
    }

    /// ```text
    /// with_fallback(circuit, &CALL_SITE, judge, body, move |open| async move { FALLBACK })
    /// ```
    ///
    /// With a timeout, with or without a fallback:
    ///
    /// ```text
    /// with_limit(circuit, &CALL_SITE, judge, LIMIT, body, move |open| async move { reject(open) })
    /// ```
    ///
    /// If the body is completed, its judge is too, and so is the value of a fallback.
    fn future_in_block(&self, completes: bool) -> TokenStream {
        let site = self.call_site();
        let (place, instead) = match &self.args.fallback {
            None => (self.returned, self.reject()),
            Some(fallback) if completes => (SpanRange::of(fallback), self.completed_fallback(fallback)),
            Some(fallback) => (SpanRange::of(fallback), self.fallback(fallback)),
        };
        let judged = self.judge_at_return_type();
        let instead = place.enclose(
            quote_spanned!(Span::mixed_site()=> move |__breaker_open| async move),
            quote_spanned! {Span::mixed_site()=>
                if false {
                    return __breaker_return.never();
                }
                #instead
            },
        );
        match self.limit() {
            None => self.call_at_return_type(
                "with_fallback",
                quote_spanned!(Span::mixed_site()=> __breaker_circuit, #site, #judged, __breaker_body, #instead),
            ),
            Some(limit) => self.call_at_return_type(
                "with_limit",
                quote_spanned!(Span::mixed_site()=> __breaker_circuit, #site, #judged, #limit, __breaker_body, #instead),
            ),
        }
    }
}

/// Returns `R` of `impl Future<Output = R>` or `impl Stream<Item = R>`.
fn result_of_opaque(returned: &Type) -> Option<&Type> {
    match returned {
        Type::Group(group) => result_of_opaque(&group.elem),
        Type::Paren(paren) => result_of_opaque(&paren.elem),
        Type::ImplTrait(opaque) => associated_type(opaque.bounds.iter().filter(|bound| is_future_or_stream(bound))),
        _ => None,
    }
}

/// Whether the last expression of a body is `Box::pin(async ..)`.
fn ends_in_boxed_future(body: &TokenStream) -> bool {
    let braces = body.clone().into_iter().next().and_then(|body| braces(&body));
    let trees: Vec<TokenTree> = braces.into_iter().flat_map(|braces| braces.stream()).collect();
    let [.., function, TokenTree::Group(arguments)] = trees.as_slice() else { return false };
    let is = |tree: Option<TokenTree>, word: &str| matches!(tree, Some(TokenTree::Ident(ident)) if ident == word);
    is(Some(function.clone()), "pin") && is(arguments.stream().into_iter().next(), "async")
}

/// Whether the bound is one of the two traits whose associated type is the result. A trait of another name may extend them, and
/// have a type of the same name with another meaning.
fn is_future_or_stream(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| last.ident == "Future" || last.ident == "Stream")
}

/// Whether the attribute is not one of the built-in attributes of functions.
fn is_macro(attribute: &Attribute) -> bool {
    const KNOWN: &[&str] = &[
        "allow",
        "cfg",
        "cfg_attr",
        "cold",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "export_name",
        "forbid",
        "inline",
        "link_section",
        "must_use",
        "no_mangle",
        "target_feature",
        "track_caller",
        "unsafe",
        "warn",
    ];
    attribute.path().get_ident().is_none_or(|name| !KNOWN.iter().any(|known| name == known))
}
