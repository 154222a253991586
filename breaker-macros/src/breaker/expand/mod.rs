//! Writes the guarded function. It ends with a `return`, for some have a lint that asks for one.

mod asynchronous;
mod handed_out;
mod plain;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, ExprClosure, Ident, LitStr, Pat, PatType, ReturnType};

use super::args::Args;
use super::bindings::{mention_backwards, with_held_names_anew};
use super::function::Function;
use super::hidden::value_is_hidden;
use super::place;
use super::shape::Shape;
use super::spans::Stretch;

/// The guarded function.
pub(super) fn function(function: &Function, args: &Args) -> TokenStream {
    let Function { attrs, vis, defaultness, sig, body } = function;
    let args = &args.clone().with_self_of(sig);
    let (inner_attrs, body) = body.split_inner_attributes();
    let sig = with_held_names_anew(sig, &body, args);
    let expansion = Expansion::new(function, args, body);
    let statements = match Shape::of(function) {
        Shape::Async => expansion.asynchronous(),
        Shape::OpaqueFuture | Shape::OpaqueStream => expansion.opaque(),
        Shape::BoxedFuture | Shape::BoxedStream | Shape::Plain => expansion.plain(),
    };
    let block = if expansion.is_read_as_a_box() {
        function.body.around(statements)
    } else {
        function.body.around(quote_spanned!(Span::mixed_site()=> { #statements }))
    };
    quote!(#(#attrs)* #inner_attrs #vis #defaultness #sig #block)
}

/// What the parts of every expansion are made of.
struct Expansion<'a> {
    function: &'a Function,
    args: &'a Args,
    body: TokenStream,
    /// The path of `breaker_core::__private`.
    private: TokenStream,
    /// Where errors about the return type stand.
    returned: Stretch,
}

impl<'a> Expansion<'a> {
    fn new(function: &'a Function, args: &'a Args, body: TokenStream) -> Self {
        let ours = || quote_spanned!(Span::mixed_site()=> ::breaker_core);
        let krate = args.krate.as_ref().map_or_else(ours, ToTokens::to_token_stream);
        Self {
            function,
            args,
            body,
            private: quote_spanned!(Span::mixed_site()=> #krate::__private),
            returned: function.returned().map_or_else(|| Stretch::of(&function.sig.ident), Stretch::of_error_type),
        }
    }

    /// A call of ours whose demands on the return type are reported at that type.
    fn call_at_return_type(&self, name: &str, arguments: TokenStream) -> TokenStream {
        let private = &self.private;
        let name = Ident::new(name, Span::mixed_site());
        self.returned.call(quote_spanned!(Span::mixed_site()=> #private::#name), arguments)
    }

    /// The judge as an argument, whose demands are reported at the return type, too, unless they are the user's function's.
    fn judge_at_return_type(&self) -> TokenStream {
        let stretch = match (&self.args.is_failure, &self.args.is_success) {
            // It makes no demand of the error, so what may be wrong is the function.
            (Some(is_failure), None) => Stretch::of(is_failure),
            _ => self.returned,
        };
        let private = &self.private;
        stretch.call(
            quote_spanned!(Span::mixed_site()=> #private::judged_by),
            quote_spanned!(Span::mixed_site()=> __breaker_judge),
        )
    }

    /// The kind of the function, likewise.
    fn kind_at_return_type(&self) -> TokenStream {
        self.returned.cover(quote_spanned!(Span::mixed_site()=> &__breaker_kind))
    }

    /// The time limit as an expression.
    fn limit(&self) -> Option<TokenStream> {
        let private = &self.private;
        let nanoseconds = self.args.timeout.as_ref()?.nanoseconds;
        Some(quote_spanned!(Span::mixed_site()=> #private::Duration::from_nanos(#nanoseconds)))
    }

    /// Runs this body, once the call was admitted, and awaits it, within its time limit if it has one. The statements
    /// before go into the same block, which ends before the future is awaited: so the call lives in the future alone.
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
        // Of an `.await` in a place of ours the compiler would say, beside what is wrong, that it should be removed.
        let mut block = Group::new(Delimiter::Brace, quote_spanned!(Span::mixed_site()=> #statements #run));
        block.set_span(Span::mixed_site().located_at(self.returned.first));
        let dot_await = quote_spanned!(self.returned.last=> .await);
        quote_spanned!(Span::mixed_site()=> #block #dot_await)
    }

    /// Returned in place of a rejected call, where there is no fallback.
    fn reject(&self) -> TokenStream {
        self.returned.cover(quote_spanned!(Span::mixed_site()=> __breaker_return.reject(__breaker_open)))
    }

    /// What passes a rejection on, likewise.
    fn pass_on_at_return_type(&self) -> TokenStream {
        let private = &self.private;
        self.returned.cover(quote_spanned!(Span::mixed_site()=> #private::PassOn))
    }

    /// Holds the circuit of the connection; borrowed where it outlives the call.
    fn held(&self) -> TokenStream {
        let private = &self.private;
        let Some(connection) = &self.args.connection else { return TokenStream::new() };
        let hold = if place::outlives_the_call(connection, &self.function.sig) {
            quote_spanned!(Span::mixed_site()=> #private::hold)
        } else {
            quote_spanned!(Span::mixed_site()=> #private::hold_owned)
        };
        let connection = borrowed(connection);
        let global = || quote_spanned!(Span::mixed_site()=> &#private::Global);
        let registry = self.args.registry.as_ref().map_or_else(global, borrowed);
        quote_spanned!(Span::mixed_site()=> #hold(#connection, #registry))
    }

    fn site(&self) -> TokenStream {
        let private = &self.private;
        let name = || LitStr::new(&self.function.sig.ident.unraw().to_string(), Span::mixed_site());
        let new = quote_spanned!(Span::mixed_site()=> #private::CallSite::new);
        let site = match &self.args.operation {
            None => {
                let name = name();
                quote_spanned!(Span::mixed_site()=> #new(#name))
            }
            Some(operation) => Stretch::of(operation).call(new, operation.to_token_stream()),
        };
        let never_a_probe = match &self.args.probe {
            Some(probe) if !probe.value => quote_spanned!(Span::mixed_site()=> .never_a_probe()),
            _ => TokenStream::new(),
        };
        quote_spanned!(Span::mixed_site()=> &const { #site #never_a_probe })
    }

    /// A function that judges what it is given. A closure or a path of the user's stands inside a closure of ours: so what
    /// is wrong with its type is a mismatch like any other, and said once.
    fn judging_function(function: &Expr) -> TokenStream {
        let place = Stretch::of(function);
        let argument = place.cover(quote_spanned!(Span::mixed_site()=> |__breaker_judged|));
        match function {
            Expr::Closure(closure) if closure.inputs.len() == 1 && closure.lifetimes.is_none() => {
                let ExprClosure { attrs, asyncness, capture, output, inputs, body, .. } = closure;
                let statements = match bare(&inputs[0]) {
                    Pat::Type(PatType { pat, ty, .. }) => {
                        let judged = Stretch::of(ty).cover(quote_spanned!(Span::mixed_site()=> __breaker_judged));
                        let pat = bare(pat);
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

    /// The judge of what `result` stands for.
    fn judge(&self, result: &TokenStream) -> TokenStream {
        let private = &self.private;
        let judge = if let Some(is_failure) = &self.args.is_failure {
            let passes_on = self.passes_on();
            let function = Self::judging_function(is_failure);
            Stretch::of(is_failure).call(
                quote_spanned!(Span::mixed_site()=> #private::failures),
                quote_spanned!(Span::mixed_site()=> #result, #passes_on, #function),
            )
        } else {
            quote_spanned! {Span::mixed_site()=>
                {
                    use #private::judges::*;
                    (&#result).__breaker_judge()
                }
            }
        };
        match &self.args.is_success {
            Some(is_success) => {
                let function = Self::judging_function(is_success);
                Stretch::of(is_success).call(
                    quote_spanned!(Span::mixed_site()=> #private::successes),
                    quote_spanned!(Span::mixed_site()=> #result, #function, #judge),
                )
            }
            None if self.function.returned().is_some_and(value_is_hidden) => judge,
            // The user's own function stands outside the block, where nothing is imported.
            None => quote_spanned! {Span::mixed_site()=>
                match #judge {
                    __breaker_errors => {
                        use #private::judges::*;
                        #result.__breaker_judge_values(__breaker_errors)
                    }
                }
            },
        }
    }

    /// Asks whether an error passes on a rejection.
    fn passes_on(&self) -> TokenStream {
        let private = &self.private;
        quote_spanned! {Span::mixed_site()=>
            |__breaker_error| #private::marks::Judged::ask(__breaker_error).__breaker_passes_on()
        }
    }

    /// The body as a closure that takes its arguments with it.
    fn closure(&self) -> TokenStream {
        let body = &self.body;
        let mentions = mention_backwards(&self.function.sig, body, self.args);
        let closure = quote_spanned!(self.place_of_body()=> move ||);
        let mentions = if mentions.is_empty() {
            TokenStream::new()
        } else {
            quote_spanned!(Span::mixed_site()=> if false { #mentions })
        };
        // A closure whose body is a bare `async` block is what some lint asks to be an `async` closure.
        let block = self.block_at_body(quote_spanned!(Span::mixed_site()=> #mentions match () { () => #body }));
        quote_spanned!(Span::mixed_site()=> #closure #block)
    }

    /// The place of a closure or block of ours around the body: in one that stands at the attribute, the compiler takes
    /// the user's variables for ours, and names none of them in what it says of borrows.
    fn place_of_body(&self) -> Span {
        self.body.clone().into_iter().next().map_or_else(Span::mixed_site, |body| body.span())
    }

    fn block_at_body(&self, statements: TokenStream) -> TokenTree {
        let mut block = Group::new(Delimiter::Brace, statements);
        block.set_span(self.place_of_body());
        block.into()
    }

    /// What the fallback says, with `__breaker_open` for the rejection. The body of a closure is inlined, so that it
    /// may do what the function may do at this place.
    fn fallback(&self, fallback: &Expr) -> TokenStream {
        match fallback {
            Expr::Closure(closure) if closure.inputs.len() == 1 => self.inlined(closure),
            path => Stretch::of(path).call(
                quote_spanned!(Span::mixed_site()=> (#path)),
                quote_spanned!(Span::mixed_site()=> __breaker_open),
            ),
        }
    }

    /// The pattern stands in a `match`, as that of an argument does in its own way: a binding for its drop alone (`_open`)
    /// is nothing to warn of.
    ///
    /// The type of the result is only looked at: what follows from a body that is given a type may be unreachable.
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
        match bare(&closure.inputs[0]) {
            Pat::Type(PatType { pat, ty, .. }) => {
                let pat = bare(pat);
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

/// The pattern of a closure's argument, where it needs its parentheses (`|(A | B)|`), without them: in a `match` a lint
/// finds them useless.
fn bare(pat: &Pat) -> &Pat {
    match pat {
        Pat::Paren(paren) => bare(&paren.pat),
        other => other,
    }
}

/// Borrows a value of the user's; errors about its type stand at the whole expression.
fn borrowed(expr: &Expr) -> TokenStream {
    Stretch::of(expr).cover(quote_spanned!(Span::mixed_site()=> &(#expr)))
}
