//! Expansion of the guarded function. It ends with a `return`, because `clippy::implicit_return` may be enabled.

mod async_fn;
mod plain_fn;
mod returns_future;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, ExprClosure, GenericArgument, Ident, LitStr, Pat, PatType, PathArguments, ReturnType, Type};

use super::parse::args::Args;
use super::parse::function::Function;
use super::signature::borrow;
use super::signature::captures::Captures;
use super::signature::opaque_value::{value_is_hidden, value_is_opaque};
use super::signature::return_shape::Shape;
use crate::syntax::spans::SpanRange;

/// Returns the guarded function.
pub(crate) fn function(function: &Function, args: &Args) -> TokenStream {
    let Function { attrs, vis, defaultness, sig, body } = function;
    let args = &args.clone().with_self_of(sig);
    let (inner_attrs, body) = body.split_inner_attributes();
    let captures = Captures::of(function, &body, args);
    let sig = captures.signature();
    let expansion = Expansion::new(function, args, body, captures);
    let statements = match Shape::of(function) {
        Shape::Async => expansion.asynchronous(),
        Shape::OpaqueFuture | Shape::OpaqueStream => expansion.opaque(),
        Shape::BoxedFuture | Shape::BoxedStream | Shape::Plain => expansion.plain(),
    };
    let block = if expansion.is_read_as_boxed_future() {
        function.body.around(statements)
    } else {
        function.body.around(quote_spanned!(Span::mixed_site()=> { #statements }))
    };
    quote!(#(#attrs)* #inner_attrs #vis #defaultness #sig #block)
}

/// The parts that every expansion uses.
struct Expansion<'a> {
    function: &'a Function,
    args: &'a Args,
    body: TokenStream,
    captures: Captures<'a>,
    /// The path of `breaker_core::__private`.
    private: TokenStream,
    /// The range for errors about the return type.
    returned: SpanRange,
}

impl<'a> Expansion<'a> {
    fn new(function: &'a Function, args: &'a Args, body: TokenStream, captures: Captures<'a>) -> Self {
        // Exhaustive, so that a new argument does not compile before its expansion is decided.
        let Args {
            connection: _, // `held`
            registry: _,   // `held`
            is_failure: _, // `judge`
            is_success: _, // `judge`
            fallback: _,   // `plain`, `asynchronous`, `opaque`
            probe: _,      // `site`
            operation: _,  // `site`
            timeout: _,    // `limit`
            settles: _,    // `site`, `settles`
            krate,
            skip: _,     // a method that is left out is not expanded
            blocking: _, // selects methods of a block
        } = args;
        let default_path = || quote_spanned!(Span::mixed_site()=> ::breaker_core);
        let krate = krate.as_ref().map_or_else(default_path, ToTokens::to_token_stream);
        Self {
            function,
            args,
            body,
            captures,
            private: quote_spanned!(Span::mixed_site()=> #krate::__private),
            returned: function.returned().map_or_else(|| SpanRange::of(&function.sig.ident), SpanRange::of_error_type),
        }
    }

    /// Builds a call of a support function whose bounds on the return type are reported at that type.
    fn call_at_return_type(&self, name: &str, arguments: TokenStream) -> TokenStream {
        let private = &self.private;
        let name = Ident::new(name, Span::mixed_site());
        self.returned.call(quote_spanned!(Span::mixed_site()=> #private::#name), arguments)
    }

    /// Builds the judge as an argument. Its bounds are reported at the return type too, unless they concern the user's
    /// function.
    fn judge_at_return_type(&self) -> TokenStream {
        let stretch = match (&self.args.is_failure, &self.args.is_success) {
            // This judge has no bound on the error, so only the function can be wrong.
            (Some(is_failure), None) => SpanRange::of(is_failure),
            _ => self.returned,
        };
        let private = &self.private;
        stretch.call(
            quote_spanned!(Span::mixed_site()=> #private::judged_by),
            quote_spanned!(Span::mixed_site()=> __breaker_judge),
        )
    }

    /// Builds the kind of the function, with errors at the return type.
    fn kind_at_return_type(&self) -> TokenStream {
        self.returned.cover(quote_spanned!(Span::mixed_site()=> &__breaker_kind))
    }

    /// Builds the timeout as an expression.
    fn limit(&self) -> Option<TokenStream> {
        let private = &self.private;
        let limit = self.args.timeout.as_ref()?.duration;
        let (seconds, nanoseconds) = (limit.as_secs(), limit.subsec_nanos());
        Some(quote_spanned!(Span::mixed_site()=> #private::Duration::new(#seconds, #nanoseconds)))
    }

    /// Runs this body after admission and awaits it, with the timeout if there is one. The statements before share its
    /// block, which ends before the future is awaited, so the call is stored in the future alone.
    fn awaited(&self, statements: &TokenStream, body: &TokenStream) -> TokenStream {
        let judge = self.judge_at_return_type();
        let run = match self.limit() {
            None => self
                .call_at_return_type("run_async", quote_spanned!(Span::mixed_site()=> __breaker_call, #judge, #body)),
            Some(limit) => self.call_at_return_type(
                "run_in_time",
                quote_spanned!(Span::mixed_site()=> __breaker_call, #judge, #limit, #body),
            ),
        };
        // If the `.await` had a span of the macro, the compiler would also suggest to remove it.
        let mut block = Group::new(Delimiter::Brace, quote_spanned!(Span::mixed_site()=> #statements #run));
        block.set_span(Span::mixed_site().located_at(self.returned.first));
        let dot_await = quote_spanned!(self.returned.last=> .await);
        quote_spanned!(Span::mixed_site()=> #block #dot_await)
    }

    /// Builds the return value of a rejected call without a fallback.
    fn reject(&self) -> TokenStream {
        let reject = if self.error_is_parameter() { "reject_parameter" } else { "reject" };
        let reject = Ident::new(reject, Span::mixed_site());
        self.returned.cover(quote_spanned!(Span::mixed_site()=> __breaker_return.#reject(__breaker_open)))
    }

    /// Whether the error of the `Result` that the function returns is a type parameter of the function, or a type that belongs
    /// to one, such as `C::Error`.
    fn error_is_parameter(&self) -> bool {
        let parameter = self.function.returned().and_then(error_of_result).and_then(leading_name);
        let is_declared =
            |name: &Ident| self.function.sig.generics.type_params().any(|parameter| parameter.ident == *name);
        parameter.is_some_and(|name| is_declared(name) || is_named_as_parameter(name))
    }

    /// Builds the value that passes a rejection on, with errors at the return type.
    fn pass_on_at_return_type(&self) -> TokenStream {
        let private = &self.private;
        self.returned.cover(quote_spanned!(Span::mixed_site()=> #private::PassOn))
    }

    /// Builds the handle to the circuit of the connection, borrowed where the connection outlives the call.
    fn held(&self) -> TokenStream {
        let private = &self.private;
        let Some(connection) = &self.args.connection else { return TokenStream::new() };
        let registry = self.registry();
        match borrow::for_the_call(connection, &self.function.sig) {
            Some(borrowed) => quote_spanned!(Span::mixed_site()=> #private::hold(#borrowed, #registry)),
            None => {
                let borrowed = borrow::here(connection);
                quote_spanned!(Span::mixed_site()=> #private::hold_owned(#borrowed, #registry))
            }
        }
    }

    /// The same, with a type of its own for a connection that is a circuit.
    fn held_by_type(&self) -> TokenStream {
        let private = &self.private;
        let borrowed =
            self.args.connection.as_ref().and_then(|connection| borrow::for_the_call(connection, &self.function.sig));
        let (Some(connection), Some(borrowed)) = (&self.args.connection, borrowed) else { return self.held() };
        let registry = self.registry();
        let connection =
            SpanRange::of(connection).call(quote_spanned!(Span::mixed_site()=> #private::Outliving), borrowed);
        quote_spanned! {Span::mixed_site()=>
            {
                use #private::HoldAny as _;
                #connection.hold(#registry)
            }
        }
    }

    fn registry(&self) -> TokenStream {
        let private = &self.private;
        let global = || quote_spanned!(Span::mixed_site()=> &#private::Global);
        self.args.registry.as_ref().map_or_else(global, borrow::here)
    }

    /// `&const { CallSite::new(..) }`, which the documented expansions call `&CALL_SITE`.
    fn call_site(&self) -> TokenStream {
        let private = &self.private;
        let name = || LitStr::new(&self.function.sig.ident.unraw().to_string(), Span::mixed_site());
        let new = quote_spanned!(Span::mixed_site()=> #private::CallSite::new);
        let site = match &self.args.operation {
            None => {
                let name = name();
                quote_spanned!(Span::mixed_site()=> #new(#name))
            }
            Some(operation) => SpanRange::of(operation).call(new, operation.to_token_stream()),
        };
        let never_a_probe = match &self.args.probe {
            Some(probe) if !probe.value => quote_spanned!(Span::mixed_site()=> .never_a_probe()),
            _ => TokenStream::new(),
        };
        let settles = match &self.args.settles {
            Some(settles) if settles.at_first_item() => {
                quote_spanned!(Span::mixed_site()=> .settles_at_first_item())
            }
            _ => TokenStream::new(),
        };
        quote_spanned!(Span::mixed_site()=> &const { #site #never_a_probe #settles })
    }

    /// Builds the check that `settles` is given for a stream, with the error at its value. `function` checks the `arguments`.
    fn settles(&self, function: &str, arguments: TokenStream) -> TokenStream {
        let Some(settles) = &self.args.settles else { return TokenStream::new() };
        let private = &self.private;
        let function = Ident::new(function, Span::mixed_site());
        let place = SpanRange::of(&settles.name);
        let check = place.call(quote_spanned!(Span::mixed_site()=> #private::#function), place.cover(arguments));
        quote_spanned!(Span::mixed_site()=> #check;)
    }

    /// The check for a function without a kind, by its judge alone.
    fn settles_by_judge(&self) -> TokenStream {
        self.settles("settles_value", quote_spanned!(Span::mixed_site()=> &__breaker_judge))
    }

    fn settles_by_kind(&self) -> TokenStream {
        self.settles("settles_kind", quote_spanned!(Span::mixed_site()=> &__breaker_kind, &__breaker_judge))
    }

    /// Builds a judging function. A user's closure or path is wrapped in a generated closure, so that a wrong type is an
    /// ordinary mismatch and reported once.
    fn judging_function(function: &Expr) -> TokenStream {
        let place = SpanRange::of(function);
        let argument = place.cover(quote_spanned!(Span::mixed_site()=> |__breaker_judged|));
        match function {
            Expr::Closure(closure) if closure.inputs.len() == 1 && closure.lifetimes.is_none() => {
                let ExprClosure { attrs, asyncness, capture, output, inputs, body, .. } = closure;
                let statements = match without_delimiters(&inputs[0]) {
                    Pat::Type(PatType { pat, ty, .. }) => {
                        let judged = SpanRange::of(ty).cover(quote_spanned!(Span::mixed_site()=> __breaker_judged));
                        let pat = without_delimiters(pat);
                        quote_spanned! {Span::mixed_site()=>
                            let __breaker_judged: #ty = #judged;
                            match __breaker_judged { #pat => #body }
                        }
                    }
                    pat => quote_spanned!(Span::mixed_site()=> match __breaker_judged { #pat => #body }),
                };
                let block = place.enclose(TokenStream::new(), statements);
                quote_spanned!(Span::mixed_site()=> #(#attrs)* #asyncness #capture #argument #output #block)
            }
            Expr::Path(path) => {
                let judged = place.cover(quote_spanned!(Span::mixed_site()=> __breaker_judged));
                let call = place.call(quote_spanned!(Span::mixed_site()=> (#path)), judged);
                quote_spanned!(Span::mixed_site()=> #argument #call)
            }
            other => other.to_token_stream(),
        }
    }

    /// Builds the judge of the type of `result`. It reports a type that is not a `Result`.
    fn judge(&self, result: &TokenStream) -> TokenStream {
        self.judge_by("__breaker_judge", result)
    }

    /// Builds the judge where the value for a rejected call reports a type that is not a `Result`.
    fn unchecked_judge(&self, result: &TokenStream) -> TokenStream {
        self.judge_by("__breaker_unchecked_judge", result)
    }

    fn judge_by(&self, method: &str, result: &TokenStream) -> TokenStream {
        let private = &self.private;
        let method = Ident::new(method, Span::mixed_site());
        let judge = if let Some(is_failure) = &self.args.is_failure {
            let passes_on = self.passes_on();
            let function = Self::judging_function(is_failure);
            SpanRange::of(is_failure).call(
                quote_spanned!(Span::mixed_site()=> #private::failures),
                quote_spanned!(Span::mixed_site()=> #result, #passes_on, #function),
            )
        } else {
            let judge = self.returned.cover(quote_spanned!(Span::mixed_site()=> (&&#result).#method()));
            quote_spanned! {Span::mixed_site()=>
                {
                    use #private::judges::*;
                    #judge
                }
            }
        };
        match &self.args.is_success {
            Some(is_success) => {
                let function = Self::judging_function(is_success);
                SpanRange::of(is_success).call(
                    quote_spanned!(Span::mixed_site()=> #private::successes),
                    quote_spanned!(Span::mixed_site()=> #result, #function, #judge),
                )
            }
            None if self.function.returned().is_some_and(value_is_hidden) => judge,
            // The user's own function is outside the block, where nothing is imported.
            None => {
                let references = self.references();
                let to_the_end = match &self.args.settles {
                    Some(settles) if !settles.at_first_item() => {
                        quote_spanned!(Span::mixed_site()=> use #private::to_the_end::*;)
                    }
                    _ => TokenStream::new(),
                };
                quote_spanned! {Span::mixed_site()=>
                    match #judge {
                        __breaker_errors => {
                            use #private::judges::*;
                            #to_the_end
                            (#references #result).__breaker_judge_values(__breaker_errors)
                        }
                    }
                }
            }
        }
    }

    /// The references through which a trait for the value of a result is chosen. The additional one makes `is_failure` judge
    /// the items of a returned stream too.
    fn references(&self) -> TokenStream {
        match &self.args.is_failure {
            None => quote_spanned!(Span::mixed_site()=> &&),
            Some(_) => quote_spanned!(Span::mixed_site()=> &&&),
        }
    }

    /// Whether the type of the value in the result is hidden, so that it may be replaced by one that is a part of the call.
    fn may_complete(&self) -> bool {
        self.args.is_success.is_none() && self.function.returned().is_some_and(value_is_opaque)
    }

    /// Connects a placeholder for the result of the body with the error of the return type.
    fn hidden_result(&self) -> TokenStream {
        let private = &self.private;
        let hidden = self.returned.cover(quote_spanned!(Span::mixed_site()=> __breaker_return.with_hidden_value()));
        quote_spanned! {Span::mixed_site()=>
            let __breaker_return = #private::Returned::new();
            if false {
                return __breaker_return.never();
            }
            let __breaker_hidden = #hidden;
        }
    }

    /// Builds the value of a rejected call, with a fallback completed like the result of the body.
    fn completed_rejection(&self) -> TokenStream {
        let Some(fallback) = &self.args.fallback else { return self.reject() };
        let completion = self.completion();
        let value = self.completed_fallback(fallback);
        quote_spanned!(Span::mixed_site()=> #completion #value)
    }

    /// Builds the completed value of the fallback.
    ///
    /// The fallback is in a block or closure of its own because it may diverge: the completion after it would be reported as
    /// unreachable. A `return` in it has the same effect there, since the function returns the value of the fallback.
    fn completed_fallback(&self, fallback: &Expr) -> TokenStream {
        let private = &self.private;
        let value = self.fallback(fallback);
        let value = quote_spanned! {Span::mixed_site()=>
            {
                if false {
                    return __breaker_hidden.never();
                }
                #value
            }
        };
        let value = match Shape::of(self.function) {
            Shape::Plain => quote_spanned!(Span::mixed_site()=> #private::make(|| #value)),
            _ => quote_spanned!(Span::mixed_site()=> (async #value).await),
        };
        quote_spanned!(Span::mixed_site()=> #private::complete(__breaker_completion, #value))
    }

    /// Chooses how the result of the body is completed, after its type is known, with the judge of the errors in
    /// `__breaker_judge`.
    fn completion(&self) -> TokenStream {
        let (private, references) = (&self.private, self.references());
        quote_spanned! {Span::mixed_site()=>
            let __breaker_completion = {
                use #private::hidden::by_value::*;
                (#references __breaker_hidden).__breaker_completion()
            };
            let __breaker_completion = #private::completion(&__breaker_completion, &__breaker_judge);
        }
    }

    /// Builds the check whether an error passes on a rejection.
    fn passes_on(&self) -> TokenStream {
        let private = &self.private;
        quote_spanned! {Span::mixed_site()=>
            |__breaker_error| #private::marks::Judged::ask(__breaker_error).__breaker_rejection().is_some()
        }
    }

    /// Builds the body as a closure that takes its arguments by value.
    fn closure(&self) -> TokenStream {
        let body = &self.body;
        let mentions = self.captures.mentioned_backwards();
        let closure = quote_spanned!(self.place_of_body()=> move ||);
        let mentions = if mentions.is_empty() {
            TokenStream::new()
        } else {
            quote_spanned!(Span::mixed_site()=> if false { #mentions })
        };
        // A closure whose body is only an `async` block would trigger a lint that suggests an `async` closure.
        let block = self.block_at_body(quote_spanned!(Span::mixed_site()=> #mentions match () { () => #body }));
        quote_spanned!(Span::mixed_site()=> #closure #block)
    }

    /// The range of a closure or block around the body. If it were at the attribute, the compiler would treat the
    /// user's variables as ours and not name them in borrow errors.
    fn place_of_body(&self) -> Span {
        self.body.clone().into_iter().next().map_or_else(Span::mixed_site, |body| body.span())
    }

    fn block_at_body(&self, statements: TokenStream) -> TokenTree {
        let mut block = Group::new(Delimiter::Brace, statements);
        block.set_span(self.place_of_body());
        block.into()
    }

    /// Builds the value of the fallback, with `__breaker_open` for the rejection. The body of a closure is inlined, so
    /// that it may do whatever the function may do there.
    fn fallback(&self, fallback: &Expr) -> TokenStream {
        match fallback {
            Expr::Closure(closure) if closure.inputs.len() == 1 => self.inlined(closure),
            path => SpanRange::of(path).call(
                quote_spanned!(Span::mixed_site()=> (#path)),
                quote_spanned!(Span::mixed_site()=> __breaker_open),
            ),
        }
    }

    /// The pattern is in a `match`, where a binding that only delays a drop (`_open`) causes no warning.
    ///
    /// The type of the result is only inspected, not used in code after the body: the body may diverge, and such code would be
    /// reported as unreachable.
    fn inlined(&self, closure: &ExprClosure) -> TokenStream {
        let (private, body) = (&self.private, &closure.body);
        let body = match &closure.output {
            ReturnType::Default => body.to_token_stream(),
            ReturnType::Type(_, ty) => quote_spanned! {Span::mixed_site()=>
                {
                    let _ = #private::Returned::<#ty>::new();
                    match () { () => #body }
                }
            },
        };
        match without_delimiters(&closure.inputs[0]) {
            Pat::Type(PatType { pat, ty, .. }) => {
                let pat = without_delimiters(pat);
                quote_spanned! {Span::mixed_site()=>
                    {
                        let __breaker_open: #ty = __breaker_open;
                        match __breaker_open { #pat => #body }
                    }
                }
            }
            pat => quote_spanned!(Span::mixed_site()=> match __breaker_open { #pat => #body }),
        }
    }
}

/// Returns `E` of `Result<T, E>`.
fn error_of_result(returned: &Type) -> Option<&Type> {
    let Type::Path(path) = returned else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.last() {
        Some(GenericArgument::Type(error)) => Some(error),
        _ => None,
    }
}

/// Returns `C` of `C`, `C::Error` and `<C as Client>::Error`.
fn leading_name(ty: &Type) -> Option<&Ident> {
    let Type::Path(path) = ty else { return None };
    match &path.qself {
        Some(own) => leading_name(&own.ty),
        None => path.path.segments.first().filter(|first| first.arguments.is_none()).map(|first| &first.ident),
    }
}

/// Whether it is named as type parameters are, such as `E` or `E2`. Those of an `impl` block are not visible at its methods.
fn is_named_as_parameter(name: &Ident) -> bool {
    let name = name.to_string();
    let mut characters = name.chars();
    characters.next().is_some_and(char::is_uppercase) && characters.all(|character| character.is_ascii_digit())
}

/// Removes the parentheses of a closure's pattern (`|(A | B)|`), which a lint finds useless in a `match`.
fn without_delimiters(pat: &Pat) -> &Pat {
    match pat {
        Pat::Paren(paren) => without_delimiters(&paren.pat),
        other => other,
    }
}
