//! Writes the guarded function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, LitStr};

use super::args::Args;
use super::bindings::mention_backwards;
use super::function::Function;
use super::hidden::value_is_hidden;
use super::place;
use super::spans::Stretch;

/// The guarded function.
pub(super) fn function(function: &Function, args: &Args) -> TokenStream {
    let Function { attrs, vis, defaultness, sig, body } = function;
    let (inner_attrs, body) = body.split_inner_attributes();
    let statements = Expansion::new(function, args).statements(&body);
    let block = quote_spanned!(Span::mixed_site()=> { #statements });
    quote!(#(#attrs)* #(#inner_attrs)* #vis #defaultness #sig #block)
}

struct Expansion<'a> {
    function: &'a Function,
    args: &'a Args,
    /// The path of `breaker_core::__private`.
    private: TokenStream,
    /// The return type, as the place of errors about it.
    returned: Stretch,
}

impl<'a> Expansion<'a> {
    fn new(function: &'a Function, args: &'a Args) -> Self {
        let krate = match &args.krate {
            Some(path) => path.to_token_stream(),
            None => quote_spanned!(Span::mixed_site()=> ::breaker_core),
        };
        Self {
            function,
            args,
            private: quote_spanned!(Span::mixed_site()=> #krate::__private),
            returned: function.returned().map_or_else(|| Stretch::of(&function.sig.ident), Stretch::of_error_type),
        }
    }

    /// ```text
    /// Input:   async fn f(..) -> R { BODY }
    /// Output:  async fn f(..) -> R {
    ///              let held = hold(&(CONNECTION), &(REGISTRY));
    ///              let call = match admit(&held, &SITE) {
    ///                  Ok(call) => call,
    ///                  Err(open) => return reject(open),
    ///              };
    ///              run_async(call, judge, async move { { BODY } }).await
    ///          }
    /// ```
    fn statements(&self, body: &TokenStream) -> TokenStream {
        let private = &self.private;
        let held = self.held();
        let site = self.site();
        let rejection = self.rejection();
        let judge = self.judge();
        let call = if self.function.sig.asyncness.is_some() { self.asynchronous(body) } else { self.plain(body) };
        quote_spanned! {Span::mixed_site()=>
            let __breaker_return = #private::Returned::new();
            let __breaker_held = #held;
            let __breaker_call = match #private::admit(&__breaker_held, #site) {
                #private::Ok(__breaker_call) => __breaker_call,
                #private::Err(__breaker_open) => { #rejection }
            };
            let __breaker_judge = #judge;
            #call
        }
    }

    fn asynchronous(&self, body: &TokenStream) -> TokenStream {
        let run = self.at_error_type("run_async");
        let mentions = mention_backwards(&self.function.sig, body);
        quote_spanned! {Span::mixed_site()=>
            #run(__breaker_call, __breaker_judge, async move {
                if false {
                    #mentions
                    return __breaker_return.never();
                }
                match () { () => #body }
            }).await
        }
    }

    /// The closure is passed directly, so that it is known to be called once, and may return what it borrowed.
    fn plain(&self, body: &TokenStream) -> TokenStream {
        let run = self.at_error_type("run");
        let mentions = mention_backwards(&self.function.sig, body);
        let body = if mentions.is_empty() {
            body.clone()
        } else {
            quote_spanned! {Span::mixed_site()=>
                {
                    if false {
                        #mentions
                        return __breaker_return.never();
                    }
                    match () { () => #body }
                }
            }
        };
        quote_spanned!(Span::mixed_site()=> #run(__breaker_return, __breaker_call, __breaker_judge, move || #body))
    }

    /// Finds the circuit. A statement of its own, so that nothing it borrowed lives on.
    fn held(&self) -> TokenStream {
        let private = &self.private;
        let Some(connection) = &self.args.connection else { return TokenStream::new() };
        let hold = if place::outlives_the_call(connection, &self.function.sig) {
            quote_spanned!(Span::mixed_site()=> #private::hold)
        } else {
            quote_spanned!(Span::mixed_site()=> #private::hold_owned)
        };
        let connection = borrowed(connection);
        let registry = match &self.args.registry {
            Some(registry) => borrowed(registry),
            None => quote_spanned!(Span::mixed_site()=> &#private::Global),
        };
        quote_spanned!(Span::mixed_site()=> #hold(#connection, #registry))
    }

    fn site(&self) -> TokenStream {
        let private = &self.private;
        let operation = match &self.args.operation {
            Some(operation) => operation.to_token_stream(),
            None => {
                let name = &self.function.sig.ident;
                LitStr::new(&name.unraw().to_string(), Span::mixed_site()).into_token_stream()
            }
        };
        let never_a_probe = match &self.args.probe {
            Some(probe) if !probe.value => quote_spanned!(Span::mixed_site()=> .never_a_probe()),
            _ => TokenStream::new(),
        };
        quote_spanned!(Span::mixed_site()=> &const { #private::Site::new(#operation)#never_a_probe })
    }

    /// What is returned in place of the call. The return statement ties the return type, too.
    fn rejection(&self) -> TokenStream {
        match &self.args.fallback {
            Some(fallback) => {
                let value = fallback_value(fallback);
                quote_spanned! {Span::mixed_site()=>
                    if false {
                        return __breaker_return.never();
                    }
                    return #value
                }
            }
            None => {
                let reject = self.at_error_type("reject");
                quote_spanned! {Span::mixed_site()=>
                    if false {
                        return __breaker_return.never();
                    }
                    return #reject(__breaker_open)
                }
            }
        }
    }

    fn judge(&self) -> TokenStream {
        let private = &self.private;
        let judge = match &self.args.is_failure {
            Some(is_failure) => {
                quote_spanned!(Span::mixed_site()=> #private::failures(__breaker_return, #is_failure))
            }
            None => quote_spanned! {Span::mixed_site()=>
                {
                    use #private::judging::*;
                    (&&__breaker_return).judge()
                }
            },
        };
        match &self.args.is_success {
            Some(is_success) => {
                quote_spanned!(Span::mixed_site()=> #private::successes(__breaker_return, #is_success, #judge))
            }
            None if self.function.returned().is_some_and(value_is_hidden) => judge,
            // The user's own function stands outside the block, where nothing is imported.
            None => quote_spanned! {Span::mixed_site()=>
                match #judge {
                    __breaker_errors => {
                        use #private::judging::*;
                        __breaker_return.judge_values(__breaker_errors)
                    }
                }
            },
        }
    }

    /// A function of ours whose demands on the error type are reported at that type.
    fn at_error_type(&self, name: &str) -> TokenStream {
        let private = &self.private;
        let name = syn::Ident::new(name, Span::mixed_site());
        self.returned.cover(quote_spanned!(Span::mixed_site()=> #private::#name))
    }
}

/// Borrows a value of the user's; errors about its type stand at the whole expression.
fn borrowed(expr: &Expr) -> TokenStream {
    Stretch::of(expr).cover(quote_spanned!(Span::mixed_site()=> &(#expr)))
}

/// The body of a closure is inlined, so that it may do what the function may do at this place.
fn fallback_value(fallback: &Expr) -> TokenStream {
    match fallback {
        Expr::Closure(closure) if closure.inputs.len() == 1 => {
            let (pat, body) = (&closure.inputs[0], &closure.body);
            let body = match &closure.output {
                syn::ReturnType::Default => body.to_token_stream(),
                syn::ReturnType::Type(_, ty) => quote_spanned! {Span::mixed_site()=>
                    { let __breaker_instead: #ty = #body; __breaker_instead }
                },
            };
            quote_spanned! {Span::mixed_site()=>
                {
                    let #pat = __breaker_open;
                    #body
                }
            }
        }
        path => {
            let open = Stretch::of(path).cover(quote_spanned!(Span::mixed_site()=> (#path)(__breaker_open)));
            open
        }
    }
}
